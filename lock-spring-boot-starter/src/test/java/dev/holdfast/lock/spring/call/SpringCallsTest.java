package dev.holdfast.lock.spring.call;

import static dev.holdfast.lock.spring.fixture.StartUp.assertFine;
import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnUnavailable;
import jakarta.annotation.PostConstruct;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;

/** Methods that Spring itself calls: past the proxy, when no client is left, with arguments that it must find, or with a use for their result. */
class SpringCallsTest {

    @Test
    void methodThatSpringCallsAfterTheClientIsClosedIsRefused() {
        assertRefused(OnClosing.class, "when it destroys the bean", "ContextClosedEvent", "SmartLifecycle");
        assertFine(ClosedPrototype.class);
    }

    @ParameterizedTest
    @ValueSource(classes = {ByDefinition.class, ByAnnotation.class, ByInterface.class})
    void callbackOfAnObjectThatCodeMakesIsRefused(Class<?> bean) {
        assertRefused(bean, "Spring calls it past the proxy", "ApplicationRunner", "ApplicationReadyEvent");
    }

    @Configuration(proxyBeanMethods = false)
    static class ByAnnotation {
        @Bean
        static OnCreation creation() {
            return new OnCreation();
        }
    }

    static class OnCreation {
        @PostConstruct
        @DistributedLock(name = "x")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class ByInterface {
        @Bean
        static OnProperties properties() {
            return new OnProperties();
        }
    }

    static class OnProperties implements InitializingBean {
        @Override
        @DistributedLock(name = "x")
        public void afterPropertiesSet() {}
    }

    static class OnClosing implements AutoCloseable {
        @Override
        @DistributedLock(name = "x")
        public void close() {}
    }

    @Scope("prototype")
    static class ClosedPrototype extends OnClosing {}

    @Configuration(proxyBeanMethods = false)
    static class ByDefinition {
        @Bean(initMethod = "begin")
        static Begins begins() {
            return new Begins();
        }
    }

    static class Begins {
        @DistributedLock(name = "x")
        public void begin() {}
    }

    @Test
    void methodOfThatNameWithoutTheInterfaceIsNoCallback() {
        assertFine(NoCallback.class);
    }

    static class NoCallback {
        @DistributedLock(name = "x")
        public void afterPropertiesSet() {}
    }

    @ParameterizedTest
    @ValueSource(classes = {SkippedBean.class, UnavailableBean.class, SkippedProduct.class})
    void methodThatMakesABeanCannotBeSkipped(Class<?> bean) {
        assertRefused(bean, "a skipped call would make no bean", "THROW");
    }

    @Configuration
    static class SkippedBean {
        @Bean
        @DistributedLock(name = "x", onBusy = OnBusy.SKIP)
        public StringBuilder schema() {
            return new StringBuilder();
        }
    }

    @Configuration
    static class UnavailableBean {
        @Bean
        @DistributedLock(name = "x", onUnavailable = OnUnavailable.SKIP)
        public StringBuilder schema() {
            return new StringBuilder();
        }
    }

    static class SkippedProduct implements FactoryBean<StringBuilder> {
        @Override
        @DistributedLock(name = "x", onUnavailable = OnUnavailable.SKIP)
        public StringBuilder getObject() {
            return new StringBuilder();
        }

        @Override
        public Class<?> getObjectType() {
            return StringBuilder.class;
        }
    }

    @Test
    void leaseThatSpringCannotPassIsRefused() {
        assertRefused(TakesLease.class, "no value for its parameter of type", "LockContext.current()");
        assertFine(TakesAttribute.class);
    }

    @RestController
    static class TakesLease {
        @GetMapping("/")
        @DistributedLock(name = "x")
        public void run(@Nullable Lease lease) {}
    }

    @RestController
    static class TakesAttribute {
        @GetMapping("/")
        @DistributedLock(name = "x")
        public void run(@RequestAttribute(required = false) @Nullable Lease lease) {}
    }

    @Test
    void callableThatWebFluxWouldNotCallIsRefused() {
        assertRefused(InWebFlux.class, "WebFlux does not call a Callable", "Mono");
        assertFine(Exports.class);
    }

    @RestController
    static class Exports {
        @GetMapping("/")
        @DistributedLock(name = "x")
        public Callable<String> run() {
            return () -> "done";
        }
    }

    @EnableWebFlux
    @Configuration(proxyBeanMethods = false)
    static class InWebFlux {
        @Bean
        static Exports exports() {
            return new Exports();
        }
    }
}

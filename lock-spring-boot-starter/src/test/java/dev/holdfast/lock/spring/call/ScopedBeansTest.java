package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.fixture.Locked;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.annotation.RequestScope;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Beans behind a scoped proxy: the proxy takes no lock, the bean behind it takes one. */
class ScopedBeansTest {

    @AfterEach
    void endRequest() {
        RequestContextHolder.resetRequestAttributes();
    }

    @Test
    void beanOfARequestIsLocked() {
        Consumer<AnnotationConfigApplicationContext> web = context -> context.getBeanFactory()
                .registerScope("request", new org.springframework.web.context.request.RequestScope());
        try (Locked app = new Locked(web, OfRequest.class)) {
            RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
            assertThat(app.bean(OfRequest.class).run("7")).isEqualTo("request:7");
            assertThat(app.context().getBean(DeclaredLocks.class).names()).containsExactly("request");
        }
    }

    @Test
    void beanThatIsCreatedAnewWhenTheScopeIsRefreshedIsLocked() {
        Consumer<AnnotationConfigApplicationContext> refreshed =
                context -> context.getBeanFactory().registerScope("refresh", new SimpleThreadScope());
        try (Locked app = new Locked(refreshed, Refreshed.class)) {
            assertThat(AopUtils.isCglibProxy(app.bean(Refreshed.class))).isTrue();
            assertThat(app.bean(Refreshed.class).run()).isEqualTo("refreshed");
        }
    }

    @Test
    void beanBehindAScopedProxyOfItsInterfacesIsLocked() {
        Consumer<AnnotationConfigApplicationContext> refreshed =
                context -> context.getBeanFactory().registerScope("refresh", new SimpleThreadScope());
        try (Locked app = new Locked(refreshed, ByInterface.class)) {
            assertThat(app.bean(Job.class).run()).isEqualTo("by-interface");
        }
    }

    private static String lock() {
        return LockContext.find().map(lease -> lease.lockName()).orElse("none");
    }

    @RequestScope
    static class OfRequest {

        @DistributedLock(name = "request", key = "#id")
        public String run(String id) {
            return lock();
        }
    }

    @Scope(scopeName = "refresh", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Refreshed {

        @DistributedLock(name = "refreshed")
        public String run() {
            return lock();
        }
    }

    interface Job {

        String run();
    }

    @Scope(scopeName = "refresh", proxyMode = ScopedProxyMode.INTERFACES)
    static class ByInterface implements Job {

        @Override
        @DistributedLock(name = "by-interface")
        public String run() {
            return lock();
        }
    }
}

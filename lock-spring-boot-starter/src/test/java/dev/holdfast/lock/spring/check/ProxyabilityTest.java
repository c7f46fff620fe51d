package dev.holdfast.lock.spring.check;

import static dev.holdfast.lock.spring.fixture.StartUp.assertFine;
import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;
import static dev.holdfast.lock.spring.fixture.StartUp.refused;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.fixture.StartUp.Refusal;
import java.util.ArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.context.event.ContextClosedEvent;

/** Methods that a proxy cannot cover fail startup, with the method and what to do. */
class ProxyabilityTest {

    static Stream<Refusal> refusals() {
        return Stream.of(
                refused(PrivateMethod.class, "PrivateMethod.run()", "private", "Make it public"),
                refused(StaticMethod.class, "StaticMethod.run()", "static", "Make it a bean's method"),
                refused(FinalMethod.class, "FinalMethod.run()", "final method", "Take 'final' away"),
                refused(FinalClass.class, "FinalClass.run()", "is final and cannot be proxied"),
                refused(ClosedCallback.class, "ClosedCallback.run()", "private constructors only"),
                refused(Hashed.class, "Hashed.hashCode()", "answer it themselves"),
                refused(Closed.class, "Closed.run()", "private constructors only"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void declarationThatCannotWorkIsRefused(Refusal refusal) {
        refusal.check();
    }

    static class PrivateMethod {

        @DistributedLock(name = "x")
        private void run() {}
    }

    static class StaticMethod {

        @DistributedLock(name = "x")
        public static void run() {}
    }

    static class FinalMethod {

        @DistributedLock(name = "x")
        public final void run() {}
    }

    static final class FinalClass {

        @DistributedLock(name = "x")
        public void run() {}
    }

    @Test
    void finalClassBehindAnInterfaceIsFine() {
        assertFine(FinalRunnable.class);
    }

    static final class FinalRunnable implements Runnable {

        @Override
        @DistributedLock(name = "x")
        public void run() {}
    }

    @Test
    void listenerThatNoSubclassCanConstructIsFineBehindTheInterfaceOfSpring() {
        assertFine(ClosedListener.class);
    }

    static class ClosedListener implements ApplicationListener<ContextClosedEvent> {
        private ClosedListener() {}

        @Override
        @DistributedLock(name = "x")
        public void onApplicationEvent(ContextClosedEvent event) {}
    }

    @Test
    void sealedListenerIsFineBehindTheInterfaceOfSpring() {
        assertFine(SealedListener.class);
    }

    static sealed class SealedListener implements ApplicationListener<ContextClosedEvent> permits KnownListener {
        @Override
        @DistributedLock(name = "x")
        public void onApplicationEvent(ContextClosedEvent event) {}
    }

    static final class KnownListener extends SealedListener {}

    /** Spring makes no proxy of such an interface alone. */
    static class ClosedCallback implements DisposableBean {
        private ClosedCallback() {}

        @DistributedLock(name = "x")
        public void run() {}

        @Override
        public void destroy() {}
    }

    static class Hashed {
        @Override
        @DistributedLock(name = "x")
        public int hashCode() {
            return 1;
        }
    }

    static class Closed {
        private Closed() {}

        @DistributedLock(name = "x")
        public void run() {}
    }

    @Test
    void methodThatNoInterfaceOfAnInterfaceProxyHasIsRefusedIfCodeMakesTheObject() {
        assertRefused(MakesNotOffered.class, "NotOffered.other()", "offers its interfaces only");
        assertFine(NotOffered.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class MakesNotOffered {
        @Bean
        static NotOffered notOffered() {
            return new NotOffered();
        }
    }

    static class NotOffered implements Runnable {

        @Override
        public void run() {}

        @DistributedLock(name = "x")
        public void other() {}
    }

    @Test
    void recordThatExposesItsInterfacesIsFineWhereClassesAreProxied() {
        assertFine(ClassesAreProxied.class);
    }

    @EnableAspectJAutoProxy(proxyTargetClass = true)
    @Configuration(proxyBeanMethods = false)
    static class ClassesAreProxied {
        @Bean
        @Proxyable(ProxyType.INTERFACES)
        static RunnableRecord runnable() {
            return new RunnableRecord();
        }
    }

    record RunnableRecord() implements Runnable {
        @Override
        @DistributedLock(name = "x")
        public void run() {}
    }

    @Test
    void classThatItsModuleKeepsClosedIsRefused() throws Exception {
        ProxyabilityCheck check = new ProxyabilityCheck(ArrayList.class, true);
        assertThatThrownBy(() -> check.check(ArrayList.class.getMethod("size")))
                .isInstanceOf(InvalidLockDeclarationException.class)
                .hasMessageContainingAll("java.util of module java.base", "not open to Spring", "@Proxyable");
    }
}

package dev.holdfast.lock.spring.declaration;

import static dev.holdfast.lock.spring.fixture.Locked.lock;
import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.fixture.Locked;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.AliasFor;

/** Where the annotation may stand. Every method says under which lock it ran. */
class AnnotationPlacesTest {

    @Test
    void methodIsLocked() {
        assertThat(ask(OnMethod.class, OnMethod::locked)).isEqualTo("on-method");
        assertThat(ask(OnMethod.class, OnMethod::plain)).isEqualTo("none");
    }

    @Test
    void placeholderInANameIsResolved() {
        try (Locked app = new Locked(Locked.property("shop.region", "north"), WithPlaceholder.class)) {
            assertThat(app.bean(WithPlaceholder.class).locked()).isEqualTo("stock-north");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void methodOfAGenericInterfaceIsLockedWhateverTheProxy(boolean proxyClass) {
        assertThat(ask(OfGeneric.class, Handling.class, proxyClass, handler -> handler.handle("x")))
                .isEqualTo("generic:x");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void methodOfAnInterfaceIsLockedWhereTheSuperclassDoesNotKnowTheInterface(boolean proxyClass) {
        assertThat(ask(InheritsOrder.class, Ordering.class, proxyClass, Ordering::order))
                .isEqualTo("on-interface");
        assertThat(ask(InheritsHandle.class, Handling.class, proxyClass, handler -> handler.handle("x")))
                .isEqualTo("generic:x");
    }

    @Test
    void nearestAnnotationCountsAlone() {
        assertThat(ask(Redeclaring.class, Redeclaring::locked)).isEqualTo("again");
    }

    @Test
    void annotationOfAnAnnotationIsFoundAndItsAttributesStandForOurs() {
        assertThat(ask(Composed.class, Composed::locked)).isEqualTo("composed");
    }

    @Test
    void annotationOfAnAnnotationOnAClassIsRefused() {
        assertRefused(ComposedClass.class, "ComposedClass", "a lock on a class locks none of its methods");
    }

    private static <T> String ask(Class<T> bean, Function<T, String> call) {
        return ask(bean, bean, true, call);
    }

    private static <T> String ask(
            Class<? extends T> bean, Class<T> seenAs, boolean proxyClass, Function<T, String> call) {
        try (Locked app = new Locked(context -> proxying(context, proxyClass), bean)) {
            T found = app.bean(seenAs);
            assertThat(AopUtils.isCglibProxy(found)).isEqualTo(proxyClass);
            return call.apply(found);
        }
    }

    private static void proxying(AnnotationConfigApplicationContext context, boolean proxyClass) {
        context.addBeanFactoryPostProcessor(factory -> {
            BeanDefinition creator = factory.getBeanDefinition(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME);
            creator.getPropertyValues().add("proxyTargetClass", proxyClass);
        });
    }

    static class OnMethod {

        @DistributedLock(name = "on-method")
        public String locked() {
            return lock();
        }

        public String plain() {
            return lock();
        }
    }

    static class WithPlaceholder {

        @DistributedLock(name = "stock-${shop.region}")
        public String locked() {
            return lock();
        }
    }

    interface Ordering {

        @DistributedLock(name = "on-interface")
        String order();
    }

    interface Handler<T> {

        @DistributedLock(name = "generic", key = "#p0")
        String handle(T message);
    }

    interface Handling extends Handler<String> {}

    static class OfGeneric implements Handling {

        @Override
        public String handle(String message) {
            return lock();
        }
    }

    static class Works {

        public String order() {
            return lock();
        }

        public String handle(String message) {
            return lock();
        }
    }

    static class InheritsOrder extends Works implements Ordering {}

    static class InheritsHandle extends Works implements Handling {}

    static class Redeclaring extends OnMethod {

        @Override
        @DistributedLock(name = "again")
        public String locked() {
            return lock();
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.TYPE})
    @DistributedLock(waitTime = "1s")
    @interface Exclusive {

        @AliasFor(annotation = DistributedLock.class, attribute = "name")
        String lock();
    }

    static class Composed {

        @Exclusive(lock = "composed")
        public String locked() {
            return lock();
        }
    }

    @Exclusive(lock = "composed-class")
    static class ComposedClass {

        public String locked() {
            return lock();
        }
    }
}

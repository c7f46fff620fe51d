package dev.holdfast.lock.spring.declaration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.Ward;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Which classes are searched for locks. One that is left out would run unlocked. */
class MentionsTest {

    @ParameterizedTest
    @ValueSource(
            classes = {
                OnMethod.class,
                OfSuperclass.class,
                OfInterfaceOfSuperclass.class,
                Several.class,
                OfAnnotationOfAnnotation.class,
                InContainerOfAnnotations.class,
                Ward.class
            })
    void classWithALockSomewhereIsSearched(Class<?> type) {
        assertThat(Mentions.in(type)).isTrue();
        assertThat(LockAnnotations.lockedMethods(type)).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(classes = {String.class, Plain.class, Settings.class, InCircle.class, Runnable.class})
    void classWithoutALockIsNotSearched(Class<?> type) {
        assertThat(Mentions.in(type)).isFalse();
    }

    static class OnMethod {
        @DistributedLock(name = "a")
        public void run() {}
    }

    static class OfSuperclass extends OnMethod {}

    interface Running {
        @DistributedLock(name = "a")
        void run();
    }

    static class OfInterface implements Running {
        @Override
        public void run() {}
    }

    static class OfInterfaceOfSuperclass extends OfInterface {}

    static class Several {
        @DistributedLock(name = "a")
        @DistributedLock(name = "b")
        public void run() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(name = "a")
    @Repeatable(Exclusives.class)
    @interface Exclusive {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface Exclusives {
        Exclusive[] value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Exclusive
    @interface Nightly {}

    static class OfAnnotationOfAnnotation {
        @Nightly
        public void run() {}
    }

    static class InContainerOfAnnotations {
        @Exclusive
        @Exclusive
        public void run() {}
    }

    static class Plain {
        @Deprecated
        public void run() {}
    }

    @Configuration
    static class Settings {
        @Bean
        Plain plain() {
            return new Plain();
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Back
    @interface Forth {}

    @Retention(RetentionPolicy.RUNTIME)
    @Forth
    @interface Back {}

    static class InCircle {
        @Forth
        public void run() {}
    }
}

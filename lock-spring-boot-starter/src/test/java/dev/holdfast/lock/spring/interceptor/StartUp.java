package dev.holdfast.lock.spring.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.NestedExceptionUtils;

/** Starts applications of one annotated bean. No Redis is asked. */
final class StartUp {

    private StartUp() {}

    static void assertRefused(Class<?> bean, String... parts) {
        assertThat(failureOf(() -> start(bean)))
                .isInstanceOf(InvalidLockDeclarationException.class)
                .hasMessageContainingAll(parts);
    }

    static Throwable failureOf(ThrowingCallable start) {
        return NestedExceptionUtils.getMostSpecificCause(catchThrowable(start));
    }

    static void assertFine(Class<?> bean) {
        assertThatCode(() -> start(bean)).doesNotThrowAnyException();
    }

    static void start(Class<?> bean) {
        start(context -> {}, bean).close();
    }

    static AnnotationConfigApplicationContext start(
            Consumer<AnnotationConfigApplicationContext> customizer, Class<?> bean) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(LockInterceptionConfiguration.class, bean);
        customizer.accept(context);
        context.refresh();
        return context;
    }
}

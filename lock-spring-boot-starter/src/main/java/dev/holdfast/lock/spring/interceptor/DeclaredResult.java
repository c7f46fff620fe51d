package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.lang.reflect.Method;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/** What a method declares to return, or a part of that. Of a suspending function it is what the source code declares. */
record DeclaredResult(Method method, ResolvableType type, boolean hidesWork) {

    private static final String ACTION =
            "Return a CompletionStage, a Callable or a reactive type that is not inside another type, or move the"
                    + " annotation to the method that does the work";

    /** Whether Spring's proxies can call coroutines. */
    private static final boolean COROUTINES = KotlinDetector.isKotlinReflectPresent()
            && ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", DeclaredResult.class.getClassLoader());

    DeclaredResult(Method method, ResolvableType type) {
        this(method, type, UnfinishedWork.mayBeIn(type));
    }

    static DeclaredResult of(Method method, Class<?> targetClass) {
        DeclaredResult declared = new DeclaredResult(
                method,
                ResolvableType.forMethodParameter(new MethodParameter(method, -1).withContainingClass(targetClass)));
        if (declared.isSuspending() && !COROUTINES) {
            throw Declaration.invalid(
                    method,
                    "the proxy of a suspending function needs kotlinx-coroutines-reactor and kotlin-reflect",
                    "Add both to the class path, or use LockClient.acquireAsync in the function");
        }
        return declared;
    }

    Class<?> raw() {
        return type.toClass();
    }

    boolean isSuspending() {
        return KotlinDetector.isSuspendingFunction(method);
    }

    boolean isFlow() {
        return raw().getName().equals("kotlinx.coroutines.flow.Flow");
    }

    /** A plain future that a worker of Spring fills: the worker runs the method, and holds the lock until it returns. */
    boolean isOfWorker() {
        return raw() == Future.class
                && (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                        || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class));
    }

    /** The result inside a type whose end the call follows. */
    DeclaredResult element() {
        return new DeclaredResult(method, type.getGeneric()).finished();
    }

    /** This, if nothing in it says that work goes on when it is there. */
    DeclaredResult finished() {
        UnfinishedWork.in(type).ifPresent(work -> {
            throw Declaration.invalid(
                    method, "the lock would be released before the work behind a " + work.getName() + " ends", ACTION);
        });
        return this;
    }

    /** What the caller receives instead of a value with work that the declared type does not mention, and that would run without the lock. */
    @Nullable
    InvalidLockDeclarationException refusalOf(@Nullable Object value) {
        Object work = hidesWork ? UnfinishedWork.in(value) : null;
        return work == null
                ? null
                : Declaration.invalid(
                        method,
                        "its result is or contains a " + work.getClass().getName()
                                + ", which its declared type does not say, and the lock would be released before that"
                                + " work ends",
                        ACTION + ". Declare the type that the method returns");
    }

    void check(@Nullable Object value) {
        InvalidLockDeclarationException refusal = refusalOf(value);
        if (refusal != null) {
            throw refusal;
        }
    }
}

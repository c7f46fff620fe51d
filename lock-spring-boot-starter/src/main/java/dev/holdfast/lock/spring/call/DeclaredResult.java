package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.declaration.Declaration;
import java.lang.reflect.Method;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/** The declared result of a method, or the type of its elements. For a suspending function, this is the type in its source code. */
public record DeclaredResult(Method method, ResolvableType type, boolean hidesWork) {

    private static final String ACTION =
            "Return a CompletionStage, a Callable or a reactive type that is not inside another type, or move the"
                    + " annotation to the method that does the work";

    /** Whether Spring's proxies can call coroutines. */
    private static final boolean COROUTINES = KotlinDetector.isKotlinReflectPresent()
            && ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", DeclaredResult.class.getClassLoader());

    DeclaredResult(Method method, ResolvableType type) {
        this(method, type, UnfinishedWork.mayBeIn(type));
    }

    public static DeclaredResult of(Method method, Class<?> targetClass) {
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

    public Class<?> raw() {
        return type.toClass();
    }

    boolean isSuspending() {
        return KotlinDetector.isSuspendingFunction(method);
    }

    boolean isFlow() {
        return raw().getName().equals("kotlinx.coroutines.flow.Flow");
    }

    /**
     * Returns whether the result is a plain future of an {@code @Async} method. Spring's worker thread runs the method, and holds the lock until it
     * returns.
     */
    boolean isOfWorker() {
        return raw() == Future.class
                && (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                        || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class));
    }

    /** Returns the element type of a result whose completion the call awaits, such as the type argument of a stage. */
    DeclaredResult element() {
        return new DeclaredResult(method, type.getGeneric()).finished();
    }

    /** Returns this result. Refuses a type that says that work continues after the method has returned. */
    DeclaredResult finished() {
        Class<?> work = UnfinishedWork.in(type);
        if (work != null) {
            throw Declaration.invalid(
                    method, "the lock would be released before the work behind a " + work.getName() + " ends", ACTION);
        }
        return this;
    }

    /** Returns the warning for a type that may carry work which goes on after the method has returned; null for any other type. */
    @Nullable
    public String doubt() {
        Class<?> doubtful = UnfinishedWork.doubtfulIn(type);
        return doubtful == null
                ? null
                : Declaration.signature(method) + " returns a " + doubtful.getName()
                        + ", which has to be closed or has a field that is work. The lock is released when the method"
                        + " returns: finish the work in it, or hold a lock of the LockClient until it ends";
    }

    /**
     * Returns the exception for a value that contains unfinished work which the declared type does not show, because that work would run without the
     * lock. Null for any other value.
     */
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

package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Future;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/** Whether a lock, its policies and its method go together. */
final class OperationCheck {

    /** Types whose work Spring MVC or a subscriber runs later. */
    private static final List<String> DEFERRED = List.of(
            "java.util.concurrent.Callable",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
            "kotlinx.coroutines.flow.Flow");

    private final LockOperation operation;
    private final LockedMethod guarded;

    private OperationCheck(LockOperation operation, LockedMethod guarded) {
        this.operation = operation;
        this.guarded = guarded;
    }

    static void check(LockOperation operation, LockedMethod guarded, Collection<DeclaredLock> others) {
        OperationCheck check = new OperationCheck(operation, guarded);
        check.resultCanBeGuarded();
        check.skippedCallHasAResult();
        check.lossCanInterrupt();
        check.kindIsThatOfTheOthers(others);
        check.nameIsDistinct(others);
    }

    /** Work that continues after the method has returned would run without the lock. */
    private void resultCanBeGuarded() {
        Method method = guarded.method();
        Class<?> type = workOf(ResolvableType.forMethodReturnType(method));
        boolean isAsync = DEFERRED.stream().anyMatch(deferred -> isA(type, deferred))
                || Future.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
        boolean onWorker = AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class);
        if (isAsync && !onWorker && guarded.results() instanceof ImmediateResults) {
            throw invalid(
                    "the lock would be released before the work behind a " + type.getName() + " is done",
                    "Return a CompletionStage, or use the LockClient in the method");
        }
    }

    /** The body of a response is produced after the method has returned, if its type says so. */
    private static Class<?> workOf(ResolvableType result) {
        Class<?> type = result.toClass();
        return isA(type, "org.springframework.http.HttpEntity")
                ? result.as(type).getGeneric().toClass()
                : type;
    }

    /** By name: the application may not have the class. */
    private static boolean isA(Class<?> type, String name) {
        return type.getName().equals(name)
                || (type.getSuperclass() != null && isA(type.getSuperclass(), name))
                || Arrays.stream(type.getInterfaces()).anyMatch(each -> isA(each, name));
    }

    private void skippedCallHasAResult() {
        boolean skips = (operation.skipsBusy() && operation.fallback() == null)
                || operation.terms().onUnavailable() == OnUnavailable.SKIP;
        if (skips && !guarded.results().canSkip()) {
            throw invalid(
                    "a call that is left out has nothing to return as "
                            + guarded.method().getReturnType().getName(),
                    "Return void, an object, an Optional or a common collection, or do not skip");
        }
    }

    private void lossCanInterrupt() {
        if (operation.terms().onLost() == OnLost.INTERRUPT && !guarded.results().staysOnThread()) {
            throw invalid(
                    "a loss cannot interrupt a body that has left its thread", "Use 'onLost = THROW' or 'REPORT'");
        }
    }

    private void kindIsThatOfTheOthers(Collection<DeclaredLock> others) {
        for (DeclaredLock other : others) {
            if (other.name().equals(operation.name()) && side(other.kind()) != side(operation.kind())) {
                throw invalid(
                        "the lock '" + operation.name() + "' is " + operation.kind() + " here and " + other.kind()
                                + " on " + Signatures.of(other.method()),
                        "One name is one kind of lock: rename one of them");
            }
        }
    }

    /** Keys may contain colons, so the lock {@code a} with the key {@code b:c} is the lock {@code a:b} with the key {@code c}. */
    private void nameIsDistinct(Collection<DeclaredLock> others) {
        for (DeclaredLock other : others) {
            if ((operation.key() != null && other.name().startsWith(operation.name() + ":"))
                    || (other.key() != null && operation.name().startsWith(other.name() + ":"))) {
                throw invalid(
                        "the lock '" + operation.name() + "' here and the lock '" + other.name() + "' on "
                                + Signatures.of(other.method()) + " can have the same name in Redis",
                        "Rename one of them: the name of a lock with a key, followed by a colon, must not begin the name"
                                + " of another lock");
            }
        }
    }

    private static LockKind side(LockKind kind) {
        return kind == LockKind.READ ? LockKind.WRITE : kind;
    }

    private InvalidLockDeclarationException invalid(String problem, String action) {
        return new InvalidLockDeclarationException(Signatures.of(operation.method()), problem, action);
    }
}

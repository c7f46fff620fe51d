package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.interceptor.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.interceptor.LockOperationSource.LockedMethod;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Future;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/** Checks that the lock, its policies and the result of its method fit together. */
final class OperationCheck {

    /** These have room for one callback, which belongs to the application: setting it would replace the application's. */
    private static final List<String> DEFERRED = List.of(
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "kotlinx.coroutines.flow.Flow");

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

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

    /** Refuses a result whose work runs after the method has returned, and whose end only the application knows. */
    static void checkResult(Method method) {
        Class<?>[] types = method.getParameterTypes();
        if (types.length > 0 && types[types.length - 1].getName().equals(CONTINUATION)) {
            throw LockOperation.invalid(
                    method,
                    "a suspending function leaves its thread in the middle of its work, and its lock with it",
                    "Return a Mono (kotlinx-coroutines-reactor's mono { … }), or use LockClient.acquireAsync in it");
        }
        Class<?> work = workOf(method);
        if (DEFERRED.stream().anyMatch(deferred -> isA(work, deferred))) {
            throw LockOperation.invalid(
                    method,
                    "the lock would be released before the work behind a " + work.getSimpleName() + " ends",
                    "Return a CompletableFuture or a Callable, or move the annotation to the method that does the work");
        }
    }

    /** The type of the result; for a response entity, the type of its body. */
    static Class<?> workOf(Method method) {
        ResolvableType result = ResolvableType.forMethodReturnType(method);
        Class<?> type = result.toClass();
        return isA(type, "org.springframework.http.HttpEntity")
                ? result.as(type).getGeneric().toClass()
                : type;
    }

    /** Compares names, because the class may be missing at run time. */
    private static boolean isA(Class<?> type, String name) {
        return type.getName().equals(name)
                || (type.getSuperclass() != null && isA(type.getSuperclass(), name))
                || Arrays.stream(type.getInterfaces()).anyMatch(each -> isA(each, name));
    }

    /** Work that continues after the method has returned would run without the lock. */
    private void resultCanBeGuarded() {
        Method method = guarded.method();
        Class<?> type = workOf(method);
        boolean isAsync = Future.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
        boolean onWorker = AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class);
        if (isAsync && !onWorker && guarded.results().staysOnThread()) {
            throw invalid(
                    "the lock would be released before the work behind a " + type.getName() + " is done",
                    "Return a CompletionStage, or use the LockClient in the method");
        }
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
                                + " on " + LockOperation.signature(other.method()),
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
                                + LockOperation.signature(other.method()) + " can have the same name in Redis",
                        "Rename one of them: the name of a lock with a key, followed by a colon, must not begin the name"
                                + " of another lock");
            }
        }
    }

    private static LockKind side(LockKind kind) {
        return kind == LockKind.READ ? LockKind.WRITE : kind;
    }

    private InvalidLockDeclarationException invalid(String problem, String action) {
        return LockOperation.invalid(operation.method(), problem, action);
    }
}

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
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/** Checks that a lock, its policies and the result of its method fit together. */
record OperationCheck(LockOperation operation, LockedMethod locked) {

    /** These have room for one callback, which belongs to the application: setting it would replace the application's. */
    private static final List<String> DEFERRED = List.of(
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter");

    /** Whether Spring's proxies can call coroutines. */
    private static final boolean COROUTINES = KotlinDetector.isKotlinReflectPresent()
            && ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", OperationCheck.class.getClassLoader());

    void check(Collection<DeclaredLock> others) {
        checkResult();
        if (operation.settings().onLost() == OnLost.INTERRUPT
                && !locked.results().staysOnThread()) {
            throw invalid(
                    "a loss cannot interrupt a body that has left its thread", "Use 'onLost = THROW' or 'REPORT'");
        }
        for (DeclaredLock other : others) {
            checkKind(other);
            checkName(other);
        }
    }

    /** Refuses a result whose work runs after the method has returned, and whose end only the application knows. */
    static void checkResult(Method method) {
        boolean suspending = KotlinDetector.isSuspendingFunction(method);
        if (suspending && !COROUTINES) {
            throw LockOperation.invalid(
                    method,
                    "the proxy of a suspending function needs kotlinx-coroutines-reactor and kotlin-reflect",
                    "Add both to the class path, or use LockClient.acquireAsync in the function");
        }
        Class<?> work = workOf(method);
        boolean publishes = suspending && isAsync(work) && !isFlow(work);
        if (publishes || (isFlow(work) && !COROUTINES) || DEFERRED.stream().anyMatch(deferred -> isA(work, deferred))) {
            throw LockOperation.invalid(
                    method,
                    "the lock would be released before the work behind a " + work.getSimpleName() + " ends",
                    "Return a CompletableFuture or a Callable, or move the annotation to the method that does the work");
        }
    }

    /** The type of the result; for a response entity, the type of its body. */
    static Class<?> workOf(Method method) {
        // Of a suspending function the declared one.
        ResolvableType result = ResolvableType.forMethodParameter(new MethodParameter(method, -1));
        Class<?> type = result.toClass();
        return isA(type, "org.springframework.http.HttpEntity")
                ? result.as(type).getGeneric().toClass()
                : type;
    }

    static boolean isFlow(Class<?> type) {
        return type.getName().equals("kotlinx.coroutines.flow.Flow");
    }

    private static boolean isAsync(Class<?> type) {
        return Future.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
    }

    /** Compares names, because the class may be missing at run time. */
    private static boolean isA(Class<?> type, String name) {
        return type.getName().equals(name)
                || (type.getSuperclass() != null && isA(type.getSuperclass(), name))
                || Arrays.stream(type.getInterfaces()).anyMatch(each -> isA(each, name));
    }

    /** Work that continues after the method has returned would run without the lock. A skipped call needs a result. */
    private void checkResult() {
        Method method = locked.method();
        Class<?> type = workOf(method);
        boolean onWorker = AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class);
        if (isAsync(type) && !onWorker && locked.results().staysOnThread()) {
            throw invalid(
                    "the lock would be released before the work behind a " + type.getName() + " is done",
                    "Return a CompletionStage, or use the LockClient in the method");
        }
        boolean skips = operation.skipsBusy() || operation.settings().onUnavailable() == OnUnavailable.SKIP;
        if (skips && !locked.results().canSkip()) {
            throw invalid(
                    "a skipped call has nothing to return as " + type.getName(),
                    "Return void, an object, an Optional or a common collection, or do not skip");
        }
    }

    private void checkKind(DeclaredLock other) {
        if (other.name().equals(operation.name()) && side(other.kind()) != side(operation.kind())) {
            throw invalid(
                    "the lock '" + operation.name() + "' is " + operation.kind() + " here and " + other.kind() + " on "
                            + LockOperation.signature(other.method()),
                    "One name is one kind of lock: rename one of them");
        }
    }

    /** Keys may contain colons, so the lock {@code a} with the key {@code b:c} is the lock {@code a:b} with the key {@code c}. */
    private void checkName(DeclaredLock other) {
        if ((operation.key() != null && other.name().startsWith(operation.name() + ":"))
                || (other.key() != null && operation.name().startsWith(other.name() + ":"))) {
            throw invalid(
                    "the lock '" + operation.name() + "' here and the lock '" + other.name() + "' on "
                            + LockOperation.signature(other.method()) + " can have the same name in Redis",
                    "Rename one of them: no lock's name may begin with the name of a lock with a key and a colon");
        }
    }

    private static LockKind side(LockKind kind) {
        return kind == LockKind.READ ? LockKind.WRITE : kind;
    }

    private InvalidLockDeclarationException invalid(String problem, String action) {
        return LockOperation.invalid(operation.method(), problem, action);
    }
}

package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.method.MethodBody;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * An annotated method of the target's class, and its locks, of which there is at least one. The position of the lease parameter is -1 if there is
 * none.
 */
record LockedMethod(Method method, List<LockOperation> operations, ResultHandling results, int leaseParameter) {

    /** Creates the description of a method. Refuses a result if the lock would be released before the method's work ends. */
    static LockedMethod of(Method method, Class<?> targetClass, List<LockOperation> operations) {
        int leaseParameter = Arrays.asList(method.getParameterTypes()).indexOf(Lease.class);
        DeclaredResult declared = DeclaredResult.of(method, targetClass);
        ResultHandling results = results(declared);
        // A result of the declared type Object may be a stage, which another thread completes.
        boolean keeps = results.staysOnThread() && declared.raw() != Object.class;
        List<LockOperation> kept =
                keeps ? operations.stream().map(LockOperation::keptByThread).toList() : operations;
        return new LockedMethod(method, kept, results, leaseParameter);
    }

    private static ResultHandling results(DeclaredResult declared) {
        if (declared.isSuspending()) {
            return ReactiveResults.ofSuspending(declared);
        }
        Class<?> type = declared.raw();
        if (type == CompletionStage.class || type == CompletableFuture.class) {
            return new BlockingResults.StageResults(declared.element());
        }
        if (type == Callable.class) {
            return new BlockingResults.CallableResults(declared.element());
        }
        if (declared.isOfWorker()) {
            declared.element();
            return new BlockingResults(declared);
        }
        boolean reactor = ClassUtils.isPresent("reactor.core.publisher.Mono", LockedMethod.class.getClassLoader());
        ResultHandling reactive = reactor ? ReactiveResults.of(declared) : null;
        return reactive == null ? new BlockingResults(declared.finished()) : reactive;
    }

    /** Runs the body under the locks. Returns the result for the caller. */
    @Nullable
    Object call(@Nullable Object target, @Nullable Object[] arguments, MethodBody body, LockAcquirer acquirer)
            throws Throwable {
        return results.call(new LockedInvocation(operations, leaseParameter, target, arguments, body), acquirer);
    }
}

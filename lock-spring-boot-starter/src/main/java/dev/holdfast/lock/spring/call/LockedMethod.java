package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.call.LockFeature.LockedOperation;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.method.LockedCalls;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * An annotated method of the target's class, and its locks, of which there is at least one. The position of the lease parameter is -1 if there is
 * none. A woven method takes its locks itself, and proxies step aside.
 */
public record LockedMethod(
        Method method, List<LockedOperation> locks, ResultHandling results, int leaseParameter, boolean isWoven) {

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", LockedMethod.class.getClassLoader());

    static LockedMethod of(
            Method method,
            Class<?> targetClass,
            List<LockOperation> operations,
            List<? extends Function<LockOperation, @Nullable LockFeature>> features) {
        List<LockedOperation> locks = operations.stream()
                .map(operation -> LockedOperation.of(operation, features))
                .toList();
        return new LockedMethod(
                method,
                locks,
                resultsOf(method, targetClass),
                Arrays.asList(method.getParameterTypes()).indexOf(Lease.class),
                LockedCalls.isWoven(method));
    }

    /** Chooses by the declared result how long a call holds its locks. */
    private static ResultHandling resultsOf(Method method, Class<?> targetClass) {
        DeclaredResult declared = DeclaredResult.of(method, targetClass);
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
        ResultHandling reactive = REACTOR ? ReactiveResults.of(declared) : null;
        return reactive == null ? new BlockingResults(declared.finished()) : reactive;
    }

    /** Returns whether a skipped call has something to return. */
    public boolean canSkip() {
        return results.canSkip();
    }

    /** Returns whether the thread that acquires the lock runs the method to its end, so that a loss can interrupt it. */
    public boolean staysOnThread() {
        return results.staysOnThread();
    }
}

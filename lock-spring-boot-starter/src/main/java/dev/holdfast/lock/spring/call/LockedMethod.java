package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.call.LockFeature.LockedOperation;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.method.LockedCalls;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An annotated method of the target's class, and its locks, of which there is at least one. The position of the lease parameter is -1 if there is
 * none. A woven method takes its locks itself, and proxies step aside.
 */
public record LockedMethod(
        Method method, List<LockedOperation> locks, ResultHandling results, int leaseParameter, boolean isWoven) {

    static LockedMethod of(
            Method method,
            ResultHandling results,
            List<LockOperation> operations,
            List<? extends Function<LockOperation, @Nullable LockFeature>> features) {
        List<LockedOperation> locks = operations.stream()
                .map(operation -> LockedOperation.of(operation, features))
                .toList();
        return new LockedMethod(
                method,
                locks,
                results,
                Arrays.asList(method.getParameterTypes()).indexOf(Lease.class),
                LockedCalls.isWoven(method));
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

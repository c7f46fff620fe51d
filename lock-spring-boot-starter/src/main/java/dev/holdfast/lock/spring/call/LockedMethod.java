package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.method.MethodBody;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An annotated method of the target's class, and its locks, of which there is at least one. The position of the lease parameter is -1 if there is
 * none.
 */
public record LockedMethod(Method method, List<Lock> locks, ResultHandling results, int leaseParameter) {

    /** A lock of the method, and what features do around it. */
    public record Lock(LockOperation operation, List<AroundOperation> around) {
        static Lock of(LockOperation operation, List<AroundLock.Feature> features) {
            return new Lock(
                    operation,
                    features.stream()
                            .<AroundOperation>mapMulti((feature, found) -> {
                                AroundOperation around = feature.of(operation);
                                if (around != null) {
                                    found.accept(around);
                                }
                            })
                            .toList());
        }

        /** Returns the lock as the application declares it. */
        public DeclaredLock declared() {
            List<String> traits = around.stream()
                    .flatMap(feature -> Stream.ofNullable(feature.trait()))
                    .toList();
            return DeclaredLock.of(operation, traits);
        }

        void checkReplaces(Lock before) {
            operation.checkReplaces(before.operation);
            for (AroundOperation feature : around) {
                before.around.stream()
                        .filter(other -> other.getClass() == feature.getClass())
                        .forEach(feature::checkReplaces);
            }
        }
    }

    static LockedMethod of(
            Method method, ResultHandling results, List<LockOperation> operations, List<AroundLock.Feature> features) {
        List<Lock> locks = operations.stream()
                .map(operation -> Lock.of(results.keptByThread() ? operation.keptByThread() : operation, features))
                .toList();
        return new LockedMethod(
                method,
                locks,
                results,
                Arrays.asList(method.getParameterTypes()).indexOf(Lease.class));
    }

    /** Runs the body under the locks. Returns the result for the caller. */
    @Nullable
    public Object call(@Nullable Object target, @Nullable Object[] arguments, MethodBody body, LockAcquirer acquirer)
            throws Throwable {
        return results.call(new LockedInvocation(locks, leaseParameter, target, arguments, body), acquirer);
    }
}

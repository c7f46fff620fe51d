package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.List;
import java.util.stream.Stream;

/** A lock of the method, and what features do around it. */
public record LockedOperation(LockOperation operation, List<AroundOperation> around) {
    static LockedOperation of(LockOperation operation, List<LockFeature> features) {
        return new LockedOperation(
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
}

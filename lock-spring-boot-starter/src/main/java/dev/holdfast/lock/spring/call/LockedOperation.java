package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A lock of the method, and what features do around it. */
public record LockedOperation(LockOperation operation, List<LockFeature> features) {
    static LockedOperation of(
            LockOperation operation, List<? extends Function<LockOperation, @Nullable LockFeature>> features) {
        return new LockedOperation(
                operation,
                features.stream()
                        .flatMap(feature -> Stream.ofNullable(feature.apply(operation)))
                        .toList());
    }

    /** Returns the lock as the application declares it. */
    public DeclaredLock declared() {
        List<String> traits = features.stream()
                .flatMap(feature -> Stream.ofNullable(feature.trait()))
                .toList();
        return DeclaredLock.of(operation, traits);
    }
}

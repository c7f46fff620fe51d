package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.InvalidLockKeyException;
import dev.holdfast.lock.spring.declaration.KeyExpression;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One lock that a call needs. If it has several names in Redis, they form one lock. Features evaluate expressions over the call. */
public record LockRequest(LockedOperation lock, List<String> names, Function<KeyExpression, @Nullable Object> value) {
    /** The order in which every call acquires its locks, so that two calls cannot wait for each other. */
    static final Comparator<LockRequest> ORDER = Comparator.comparing(
                    (LockRequest request) -> request.names().get(0))
            .thenComparing(LockRequest::kind);

    public LockOperation operation() {
        return lock.operation();
    }

    public LockKind kind() {
        return operation().kind();
    }

    AcquireOptions options() {
        return operation().options();
    }

    LockNotAcquiredException busy(List<String> asked) {
        Duration waited = options().givenWait().orElse(Duration.ZERO);
        return new LockNotAcquiredException(asked.get(0), waited, null, null);
    }

    LeaseSource source(LockClient client, List<String> asked) {
        try {
            LeaseSource lock = sourceOf(client, asked);
            if (lock == null) {
                throw new IllegalStateException(
                        "The lock client " + client.getClass().getName() + " returned no lock '" + asked.get(0)
                                + "'. If it is a mock, use the client in memory of lock-test instead");
            }
            return lock;
        } catch (IllegalArgumentException e) {
            Object expression =
                    operation().key() == null ? operation().name() : operation().key();
            String problem = "gives no name for a lock: " + e.getMessage();
            throw new InvalidLockKeyException(operation().signature(), expression.toString(), problem, e);
        }
    }

    private LeaseSource sourceOf(LockClient client, List<String> asked) {
        if (kind().isSemaphore()) {
            return kind().isFair()
                    ? client.getFairSemaphore(asked.get(0), operation().permits())
                    : client.getSemaphore(asked.get(0), operation().permits());
        }
        return asked.size() == 1 ? client.getLock(asked.get(0), kind()) : client.getMultiLock(asked);
    }
}

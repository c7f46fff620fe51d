package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.InvalidLockKeyException;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.interceptor.Fallbacks.Fallback;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One lock of an annotated method, parsed from its annotation once. The key is null if all calls use one lock. No policy is null or {@code DEFAULT}.
 * The number of permits is 0 if the lock is not a semaphore.
 */
record LockOperation(
        Method method,
        String name,
        @Nullable KeyExpression key,
        LockKind kind,
        int permits,
        LockSettings settings,
        AcquireOptions options,
        @Nullable Fallback fallback,
        @Nullable Once once,
        boolean releaseAfterTransaction,
        CallHistory history) {

    String signature() {
        return Declaration.signature(method);
    }

    /** Returns this lock for a method whose thread releases it when the method returns. */
    LockOperation keptByThread() {
        return new LockOperation(
                method,
                name,
                key,
                kind,
                permits,
                settings,
                options.keptByThread(),
                fallback,
                once,
                releaseAfterTransaction,
                history);
    }

    /** Returns the names in Redis that a call needs, without the client's prefix. */
    List<String> lockNames(@Nullable Object target, @Nullable Object[] arguments) {
        return key == null
                ? List.of(name)
                : key.evaluate(target, arguments).stream()
                        .map(one -> name + ":" + one)
                        .toList();
    }

    /**
     * Refuses a change of the name or the number of permits while the application runs, because holders and waiters rely on them. Both may come from
     * placeholders.
     */
    void checkReplaces(LockOperation before) {
        checkStays("name", before.name(), name());
        checkStays("permits", before.permits(), permits());
        if (!Objects.equals(before.once(), once())) {
            throw Declaration.invalid(
                    method,
                    "its schedule or 'onFailure' would change while the application runs",
                    "Such a change needs a restart");
        }
    }

    private void checkStays(String attribute, Object before, Object after) {
        if (!before.equals(after)) {
            throw Declaration.invalid(
                    method,
                    "'" + attribute + "' would change from " + before + " to " + after + " while the application runs",
                    "Such a change needs a restart");
        }
    }

    /** Returns whether a busy lock skips the call. Such a call does not need to know the holder. */
    boolean skipsBusy() {
        return fallback == null && settings.onBusy() == OnBusy.SKIP;
    }

    /** Returns whether a paused call returns nothing. Nobody waits for the result of a scheduled method. */
    boolean skipsPaused() {
        return skipsBusy() || (fallback == null && ScheduledTicks.isScheduled(method));
    }

    /** Returns whether a run of one bean would count for every other bean with this method. */
    boolean isRunOfOneBean() {
        return once != null && (key == null || !key.isOfTarget());
    }

    /** Returns whether a call waits for a busy lock. */
    boolean waits() {
        return !options.givenWait().equals(Optional.of(Duration.ZERO));
    }

    /** One lock that a call needs. If it has several names in Redis, they form one lock. */
    record LockRequest(LockOperation operation, List<String> names) {
        /** The order in which every call acquires its locks, so that two calls cannot wait for each other. */
        static final Comparator<LockRequest> ORDER = Comparator.comparing(
                        (LockRequest request) -> request.names().get(0))
                .thenComparing(LockRequest::kind);

        LockKind kind() {
            return operation.kind();
        }

        AcquireOptions options() {
            return operation.options();
        }

        LockNotAcquiredException busy(List<String> asked) {
            Duration waited = options().givenWait().orElse(Duration.ZERO);
            return new LockNotAcquiredException(asked.get(0), waited, null, null);
        }

        LeaseSource lock(LockClient client, List<String> asked) {
            try {
                LeaseSource lock = lockOf(client, asked);
                if (lock == null) {
                    throw new IllegalStateException(
                            "The lock client " + client.getClass().getName() + " returned no lock '" + asked.get(0)
                                    + "'. If it is a mock, use the client in memory of lock-test instead");
                }
                return lock;
            } catch (IllegalArgumentException e) {
                Object expression = operation.key() == null ? operation.name() : operation.key();
                String problem = "gives no name for a lock: " + e.getMessage();
                throw new InvalidLockKeyException(operation.signature(), expression.toString(), problem, e);
            }
        }

        private LeaseSource lockOf(LockClient client, List<String> asked) {
            if (kind().isSemaphore()) {
                return kind().isFair()
                        ? client.getFairSemaphore(asked.get(0), operation.permits())
                        : client.getSemaphore(asked.get(0), operation.permits());
            }
            return asked.size() == 1 ? client.getLock(asked.get(0), kind()) : client.getMultiLock(asked);
        }
    }
}

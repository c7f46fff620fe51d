package dev.holdfast.lock.internal.background;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotYetGrantedException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.WrongLockKindException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Handles the exceptions with which futures and locks fail. */
public final class Failures {

    private Failures() {}

    /** Returns the original failure without the wrappers that dependent stages add. Returns null if nothing failed. */
    public static @Nullable Throwable unwrapped(@Nullable Throwable thrown) {
        Throwable failure = thrown;
        while (failure instanceof CompletionException && failure.getCause() != null) {
            failure = failure.getCause();
        }
        return failure;
    }

    /**
     * Returns a failure like the given one with another text: for another thread, or for a lock of which it has failed one member. It keeps the type and
     * all that callers decide by.
     */
    public static LockException alike(
            LockException failure, String lockName, String message, @Nullable Throwable cause) {
        if (failure instanceof WrongLockKindException) {
            return new WrongLockKindException(lockName, message, cause);
        }
        if (failure instanceof LockNotYetGrantedException notYet) {
            return new LockNotYetGrantedException(lockName, message, cause, notYet.left());
        }
        return failure instanceof LockUnavailableException down
                ? new LockUnavailableException(lockName, message, cause, down.isTransient())
                : new LockException(lockName, message, cause);
    }
}

package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.WrongLockKindException;
import dev.holdfast.lock.internal.background.Failures;
import dev.holdfast.lock.internal.connection.RedisFailure;
import org.jspecify.annotations.Nullable;

/** Converts the failure of a command into the exception for the lock's caller. */
public final class RedisFailures {

    private RedisFailures() {}

    /** Returns the exception for a request for a lock. A name that is in use for something else is no outage. */
    public static LockException ofRequest(String lockName, RedisFailure failure) {
        String what = String.valueOf(failure.getMessage());
        String fix = otherUse(what);
        return fix.isEmpty()
                ? unavailable(lockName, failure)
                : new WrongLockKindException(
                        lockName, "Lock '" + LogText.escape(lockName) + "' has another kind: " + what + fix, failure);
    }

    public static LockUnavailableException unavailable(String lockName, @Nullable Throwable thrown) {
        Throwable cause = Failures.unwrapped(thrown);
        String what = cause == null ? "the cause is unknown" : String.valueOf(cause.getMessage());
        return new LockUnavailableException(
                lockName,
                "Lock '" + LogText.escape(lockName) + "' is unavailable: " + what + otherUse(what),
                cause,
                isTransient(cause));
    }

    /** Returns the exception for a caller that waited for an answer about a lock. Any failure but that of Redis is thrown as it is. */
    public static RuntimeException ofAnswer(String lockName, @Nullable Throwable cause) {
        return cause instanceof RuntimeException known && !(cause instanceof RedisFailure)
                ? known
                : unavailable(lockName, cause);
    }

    private static boolean isTransient(@Nullable Throwable cause) {
        return !(cause instanceof RedisFailure failure) || failure.isTransient();
    }

    /** Returns the exception for waiters of a client that closes. */
    public static LockUnavailableException closed(String lockName) {
        return new LockUnavailableException(
                lockName, "Lock '" + LogText.escape(lockName) + "' is unavailable: the lock client is closed", null);
    }

    /** Returns the exception for a call before the client's first start. */
    public static LockUnavailableException notStarted(String lockName) {
        return new LockUnavailableException(
                lockName,
                "Lock '" + LogText.escape(lockName)
                        + "' is unavailable: the lock client has not been started yet. Acquire locks after"
                        + " the application has started, not while it creates its objects",
                null);
    }

    /** Returns a copy of the exception with the current thread's stack trace. */
    public static RuntimeException anew(String lockName, @Nullable Throwable thrown) {
        return thrown instanceof LockException failure
                ? Failures.alike(failure, lockName, String.valueOf(failure.getMessage()), failure)
                : new IllegalStateException("Waiting for lock '" + LogText.escape(lockName) + "' failed", thrown);
    }

    /** Returns the fix for a name that is in use for something else. Empty for any other failure. */
    private static String otherUse(String what) {
        if (what.contains("WRONGTYPE")) {
            return ". The key holds something that is not a lock: choose another name or another key prefix";
        }
        if (what.contains("WRONGKIND")) {
            return ". Use one kind of lock for one name";
        }
        return "";
    }
}

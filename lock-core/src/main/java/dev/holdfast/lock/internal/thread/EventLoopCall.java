package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.LockLog;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Handles blocking calls on a thread that serves many requests. Such a call blocks the thread until Redis answers, but does not wait for a busy lock.
 */
final class EventLoopCall {

    private static final String INSTEAD =
            "Use acquireAsync, return a Mono or a Flux from an annotated method, or make the call on a thread that may"
                    + " block, such as one of Schedulers.boundedElastic()";

    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private EventLoopCall() {}

    /** Returns how long the call may wait. A negative wait is returned unchanged, because a later check refuses it. */
    static Duration allowed(String lockName, Duration wait) {
        if (!WARNED.getAndSet(true)) {
            LockLog.LOG.log(
                    System.Logger.Level.WARNING,
                    "Lock '" + LogText.escape(lockName) + "' blocks thread "
                            + Thread.currentThread().getName() + ", which must not block, until Redis replies. "
                            + INSTEAD + ". This is logged once.");
        }
        return wait.isNegative() ? wait : Duration.ZERO;
    }

    /** Called when the lock is busy. Throws an exception if the call would have waited longer on another thread. */
    static void checkRefused(String lockName, Duration wait, Duration allowed) {
        if (!allowed.equals(wait)) {
            throw refusal(lockName, null);
        }
    }

    static IllegalStateException refusal(String lockName, @Nullable LockNotAcquiredException busy) {
        return new IllegalStateException(
                "Lock '" + LogText.escape(lockName) + "' is busy, and thread "
                        + Thread.currentThread().getName()
                        + " must not block to wait for it: it serves other requests. "
                        + INSTEAD,
                busy);
    }
}

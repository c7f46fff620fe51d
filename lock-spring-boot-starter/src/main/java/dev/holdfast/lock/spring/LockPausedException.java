package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LogText;
import java.time.Duration;

/** Thrown instead of running a method whose lock is {@linkplain LockPauses paused}. */
public final class LockPausedException extends LockNotAcquiredException {

    private static final long serialVersionUID = 1L;

    private final String text;

    /** Creates the exception. */
    public LockPausedException(String lockName, LockPause pause) {
        super(lockName, Duration.ZERO, null, null);
        this.text = "Lock '" + LogText.escape(lockName) + "' is " + pause.describe();
    }

    @Override
    public String getMessage() {
        return text;
    }
}

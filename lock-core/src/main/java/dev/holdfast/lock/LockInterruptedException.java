package dev.holdfast.lock;

/** Thrown when the thread was interrupted before or during the wait for a lock. Nothing is held, and the thread's interrupt status is set again. */
public class LockInterruptedException extends LockException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public LockInterruptedException(String lockName, InterruptedException cause) {
        super(lockName, "Interrupted while waiting for lock '" + LogText.escape(lockName) + "'", cause);
    }
}

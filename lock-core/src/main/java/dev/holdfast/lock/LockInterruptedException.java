package dev.holdfast.lock;

/** The waiting thread was interrupted; nothing is held, and the thread's interrupt flag is set again. */
public class LockInterruptedException extends LockException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public LockInterruptedException(String lockName, InterruptedException cause) {
        super(lockName, "Interrupted while waiting for lock '" + LogText.escape(lockName) + "'", cause);
    }
}

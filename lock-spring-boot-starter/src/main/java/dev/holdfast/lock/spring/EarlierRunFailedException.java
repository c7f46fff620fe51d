package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockException;

/**
 * Thrown instead of running a method that may be begun only once, if an earlier run for the same deployment failed, or if its process died: {@link
 * RunOnce} with {@link OnFailure#STOP}. Also thrown by a retry of a failed run of {@link OncePerTick}, if another instance has run a
 * later tick in the meantime.
 */
public class EarlierRunFailedException extends LockException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public EarlierRunFailedException(String lockName, String message) {
        super(lockName, message, null);
    }
}

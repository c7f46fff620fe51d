package dev.holdfast.lock.spring;

/**
 * Thrown if a {@code @DistributedLock} cannot work. It fails startup or, if only a call's result reveals the fault, that call. The message names the
 * method and says what to do.
 */
public class InvalidLockDeclarationException extends LockStartupException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. The problem and the action have no period at their end. */
    public InvalidLockDeclarationException(String declaredAt, String problem, String action) {
        super("@DistributedLock on " + declaredAt + ": " + problem + ".", action + ".", null);
    }
}

package dev.holdfast.lock.spring;

/**
 * A {@code @DistributedLock} cannot work. Fails startup, or a call whose result shows it only then. The message names the method and says what to
 * do.
 */
public class InvalidLockDeclarationException extends LockStartupException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. The problem and the action come without a period at their end. */
    public InvalidLockDeclarationException(String declaredAt, String problem, String action) {
        super("@DistributedLock on " + declaredAt + ": " + problem + ".", action + ".", null);
    }
}

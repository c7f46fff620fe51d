package dev.holdfast.lock.spring;

/** A {@code @DistributedLock} that cannot work. Thrown when the application starts. The message names the method and says what to do. */
public class InvalidLockDeclarationException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String declaredAt;
    private final String description;
    private final String action;

    /** Creates the exception. The problem and the action come without a period at their end. */
    public InvalidLockDeclarationException(String declaredAt, String problem, String action) {
        super("@DistributedLock on " + declaredAt + ": " + problem + ". " + action);
        this.declaredAt = declaredAt;
        this.description = "@DistributedLock on " + declaredAt + ": " + problem + ".";
        this.action = action + ".";
    }

    /** {@return the signature of the annotated method, or the name of the annotated class} */
    public String declaredAt() {
        return declaredAt;
    }

    /** {@return a sentence that says what is wrong, and where} */
    public String description() {
        return description;
    }

    /** {@return a sentence that says what to do} */
    public String action() {
        return action;
    }
}

package dev.holdfast.lock.spring;

/** A {@code @DistributedLock} that cannot work. Thrown when the application starts. The message names the method and says what to do. */
public class InvalidLockDeclarationException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String declaredAt;
    private final String description;
    private final String action;

    /**
     * Creates the exception.
     *
     * @param declaredAt the annotated method, or the class
     * @param problem what is wrong
     * @param action what to do
     */
    public InvalidLockDeclarationException(String declaredAt, String problem, String action) {
        super("@DistributedLock on " + declaredAt + ": " + problem + ". " + action);
        this.declaredAt = declaredAt;
        this.description = "@DistributedLock on " + declaredAt + ": " + problem + ".";
        this.action = action + ".";
    }

    /**
     * The annotated method or class.
     *
     * @return the method's signature, or the class's name
     */
    public String declaredAt() {
        return declaredAt;
    }

    /**
     * What is wrong, and where.
     *
     * @return a sentence
     */
    public String description() {
        return description;
    }

    /**
     * What to do.
     *
     * @return a sentence
     */
    public String action() {
        return action;
    }
}

package dev.holdfast.lock.spring;

/** A {@code @DistributedLock} that cannot work. The message names the method and the mend; found when the application starts. */
public class InvalidLockDeclarationException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String declaredAt;
    private final String mend;

    /**
     * Creates the exception.
     *
     * @param declaredAt the annotated method, or the class
     * @param problem what is wrong
     * @param mend what to do
     */
    public InvalidLockDeclarationException(String declaredAt, String problem, String mend) {
        super(describe(declaredAt, problem) + " " + mend);
        this.description = describe(declaredAt, problem);
        this.declaredAt = declaredAt;
        this.mend = mend;
    }

    private static String describe(String declaredAt, String problem) {
        return "@DistributedLock on " + declaredAt + ": " + problem + ".";
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
     * Where the annotation stands.
     *
     * @return the method's signature, or the class's name
     */
    public String declaredAt() {
        return declaredAt;
    }

    /**
     * What to do.
     *
     * @return a sentence
     */
    public String mend() {
        return mend;
    }
}

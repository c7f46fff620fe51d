package dev.holdfast.lock.test.spring;

/**
 * A place in the code at which a method would run without its lock, or for which the application would not start.
 *
 * @param kind what is wrong there
 * @param place the class, the method and the line of a call, or the annotated method
 * @param description what is wrong, and what to do instead
 */
public record LockFinding(Kind kind, String place, String description) {

    /** What is wrong at a place. */
    public enum Kind {
        /** A call through {@code this}, which bypasses the proxy. */
        SELF_CALL,
        /** A declaration that would fail the application's startup. */
        DECLARATION
    }

    @Override
    public String toString() {
        return kind == Kind.SELF_CALL ? place + " " + description : description;
    }
}

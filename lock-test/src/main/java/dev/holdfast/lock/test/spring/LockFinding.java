package dev.holdfast.lock.test.spring;

/**
 * A declaration for which the application would not start.
 *
 * @param place the annotated method
 * @param description what is wrong, and what to do instead
 */
public record LockFinding(String place, String description) {

    @Override
    public String toString() {
        return description;
    }
}

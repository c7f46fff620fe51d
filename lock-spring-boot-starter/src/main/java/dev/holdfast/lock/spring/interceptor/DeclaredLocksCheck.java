package dev.holdfast.lock.spring.interceptor;

/** Has a look at all declared locks once they are known, as the application starts. A bean of this type is found by itself. */
@FunctionalInterface
public interface DeclaredLocksCheck {

    /**
     * Looks at them. What it throws ends the start.
     *
     * @param declared the declared locks
     */
    void check(DeclaredLocks declared);
}

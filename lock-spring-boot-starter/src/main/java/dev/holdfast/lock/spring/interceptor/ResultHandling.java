package dev.holdfast.lock.spring.interceptor;

import org.jspecify.annotations.Nullable;

/** How a call is guarded, by what its method returns: until it returns, or until what it returned has come to its end. */
interface ResultHandling {

    /**
     * Takes the call's locks, runs its body, and gives the locks back when the body's work is done.
     *
     * @return what the caller gets
     * @throws Throwable what the body, or the refusal of a lock, throws
     */
    @Nullable
    Object call(GuardedCall call, Entrance entrance) throws Throwable;

    /** What a call that was left out returns. */
    @Nullable
    Object skipped();

    /** Whether a call that was left out has something to return. */
    default boolean canSkip() {
        return true;
    }

    /** Whether the thread that takes the lock runs the body to its end, so that a loss can interrupt it. */
    default boolean staysOnThread() {
        return false;
    }
}

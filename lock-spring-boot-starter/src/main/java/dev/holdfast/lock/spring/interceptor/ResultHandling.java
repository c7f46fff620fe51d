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
}

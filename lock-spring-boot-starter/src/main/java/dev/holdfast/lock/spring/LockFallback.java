package dev.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/** A bean that is called instead of the annotated method when the lock is busy. The annotation names it as {@code fallback = "@name"}. */
@FunctionalInterface
public interface LockFallback {

    /**
     * Answers the call. The call holds none of its locks meanwhile.
     *
     * @param call the call, and the lock's holder if it is known
     * @return what the annotated method returns; null for a method that returns nothing
     * @throws Throwable thrown to the caller
     */
    @Nullable
    Object onBusy(BusyCall call) throws Throwable;
}

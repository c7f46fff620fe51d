package dev.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/** A bean that answers calls in the annotated method's place when their lock is busy; {@code busyHandler = "@name"} names it. */
@FunctionalInterface
public interface BusyHandler {

    /**
     * Answers a call. No lock of the call is held.
     *
     * @param call the call, and who has the lock as far as is known
     * @return what the annotated method returns; null for a method that returns nothing
     * @throws Throwable whatever the caller shall get
     */
    @Nullable
    Object onBusy(BusyCall call) throws Throwable;
}

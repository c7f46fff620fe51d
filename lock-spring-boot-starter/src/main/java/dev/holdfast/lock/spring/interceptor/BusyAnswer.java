package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/** Answers a call in the method's place when the lock is busy. */
@FunctionalInterface
interface BusyAnswer {

    @Nullable
    Object answer(GuardedCall call, LockNotAcquiredException busy) throws Throwable;
}

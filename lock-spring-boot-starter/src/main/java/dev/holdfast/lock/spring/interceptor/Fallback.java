package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/** What a busy call runs instead of the annotated method. */
@FunctionalInterface
interface Fallback {

    @Nullable
    Object answer(LockedInvocation call, LockNotAcquiredException busy) throws Throwable;
}

package dev.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/**
 * An application event on the instance that was asked: a pause was ended before its time.
 *
 * @param pause the pause that was ended
 * @param by who ended it; null if that is unknown
 */
public record LockResumed(LockPause pause, @Nullable String by) {}

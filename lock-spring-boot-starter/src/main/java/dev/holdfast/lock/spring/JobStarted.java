package dev.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/**
 * An application event on the instance that was asked: a run of a scheduled method was started by {@link JobRuns}.
 *
 * @param name the lock's declared name
 * @param countsAsTick whether the run is that of the present tick
 * @param principal who started it; null if that is unknown
 * @param reason why
 */
public record JobStarted(
        String name, boolean countsAsTick, @Nullable String principal, String reason) {}

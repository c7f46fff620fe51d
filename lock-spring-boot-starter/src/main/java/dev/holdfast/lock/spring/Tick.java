package dev.holdfast.lock.spring;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The tick to which a run of a job belongs, by its schedule. All three are ticks, and not the times at which runs began. So a run that processes what
 * came from {@code lastSucceeded} (inclusive) until {@code time} (exclusive) leaves nothing out, also after ticks that failed or that nobody ran.
 *
 * @param time this tick
 * @param previous the tick before this one; null if there is none
 * @param lastSucceeded the tick of the last run that has succeeded; null if none is known, as in the first run
 * @see LockContext#tick()
 */
public record Tick(
        Instant time, @Nullable Instant previous, @Nullable Instant lastSucceeded) {}

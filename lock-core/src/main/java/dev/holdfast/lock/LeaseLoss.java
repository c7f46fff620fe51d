package dev.holdfast.lock;

import java.time.Duration;

/**
 * A lease that ended before it was released.
 *
 * @param lockName the lock
 * @param fencingToken the token of the lost lease
 * @param cause why
 * @param held how long it had been held when its end was noticed
 * @param sinceConfirmed how long before that Redis had last confirmed it
 */
public record LeaseLoss(String lockName, long fencingToken, LossCause cause, Duration held, Duration sinceConfirmed) {}

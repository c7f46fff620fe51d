package dev.holdfast.lock;

import java.time.Duration;

/**
 * A lease that ended before it was released.
 *
 * @param fencingToken the token of the lost lease
 * @param cause why
 * @param held how long it had been held when its end was noticed
 * @param sinceConfirmed how long before that Redis had last confirmed it
 * @param probableCause what led to it, in words for the log: this process stood still, Redis did not answer, the key is gone
 */
public record LeaseLoss(
        String lockName,
        LockKind kind,
        long fencingToken,
        LossCause cause,
        Duration held,
        Duration sinceConfirmed,
        String probableCause)
        implements LockEvent {

    @Override
    public void tell(LockListener listener) {
        listener.onLost(this);
    }
}

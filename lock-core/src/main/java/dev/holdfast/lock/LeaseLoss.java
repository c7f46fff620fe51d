package dev.holdfast.lock;

import java.time.Duration;

/**
 * A lease that ended before it was released.
 *
 * @param fencingToken the token of the lost lease
 * @param cause why the lease ended
 * @param held how long the lease had been held when its end was noticed
 * @param sinceConfirmed the time from the last confirmation by Redis to the moment the end was noticed
 * @param probableCause a text for the log that says what led to the loss: this process stood still, Redis did not answer, or the key is gone
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

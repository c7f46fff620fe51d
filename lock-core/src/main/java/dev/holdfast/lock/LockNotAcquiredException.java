package dev.holdfast.lock;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The wait ended and somebody else still holds the lock. Redis answered: this is "busy", never "down". */
public class LockNotAcquiredException extends LockException {

    private static final long serialVersionUID = 1L;

    private final Duration waited;
    private final @Nullable String holder;
    private final @Nullable Duration remainingLease;

    /**
     * Creates the exception.
     *
     * @param lockName the lock
     * @param waited the wait that was granted
     * @param holder the present holder's id, if known
     * @param remainingLease what was left of the holder's lease when last seen, if known
     */
    public LockNotAcquiredException(
            String lockName, Duration waited, @Nullable String holder, @Nullable Duration remainingLease) {
        super(lockName, message(lockName, waited, holder, remainingLease), null);
        this.waited = waited;
        this.holder = holder;
        this.remainingLease = remainingLease;
    }

    private static String message(
            String lockName, Duration waited, @Nullable String holder, @Nullable Duration remainingLease) {
        return "Lock '" + LogText.escape(lockName) + "' was not acquired within " + waited
                + (holder == null ? "" : ": it is held by " + LogText.escape(holder))
                + (remainingLease == null ? "" : ", whose lease has " + remainingLease + " left");
    }

    /**
     * The wait that ended.
     *
     * @return the wait as it was asked for
     */
    public Duration waited() {
        return waited;
    }

    /**
     * The present holder, as far as Redis told.
     *
     * @return the holder's id, {@code client:thread:grant} for a holder of this library
     */
    public Optional<String> holder() {
        return Optional.ofNullable(holder);
    }

    /**
     * What was left of the present holder's lease when Redis was last asked.
     *
     * @return the remaining lease, if known
     */
    public Optional<Duration> remainingLease() {
        return Optional.ofNullable(remainingLease);
    }
}

package dev.holdfast.lock;

import dev.holdfast.lock.LockState.Holder;
import java.time.Duration;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** The wait ended and somebody else still holds the lock. Redis answered: this is "busy", never "down". */
public class LockNotAcquiredException extends LockException {

    private static final long serialVersionUID = 1L;

    private final Duration waited;
    private final @Nullable String holder;
    private final @Nullable Duration remainingLease;
    private final transient @Nullable Holder holderDetails;

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
        this(lockName, waited, holder, remainingLease, null);
    }

    /**
     * Creates the exception where the lock was looked at once more.
     *
     * @param lockName the lock
     * @param waited the wait that was granted
     * @param found the lock as Redis showed it when the wait had ended
     */
    public LockNotAcquiredException(String lockName, Duration waited, LockState found) {
        this(lockName, waited, found.owner(), found.remaining(), found.holder());
    }

    /**
     * Creates the exception for a lock that is made of locks, one of which was busy.
     *
     * @param lockName the lock
     * @param waited the wait that was granted
     * @param part what that one said: who holds it
     */
    public LockNotAcquiredException(String lockName, Duration waited, LockNotAcquiredException part) {
        this(lockName, waited, part.holder, part.remainingLease, part.holderDetails);
    }

    private LockNotAcquiredException(
            String lockName,
            Duration waited,
            @Nullable String holder,
            @Nullable Duration remainingLease,
            @Nullable Holder holderDetails) {
        super(lockName, message(lockName, waited, holder, remainingLease, holderDetails), null);
        this.waited = waited;
        this.holder = holder;
        this.remainingLease = remainingLease;
        this.holderDetails = holderDetails;
    }

    private static String message(
            String lockName,
            Duration waited,
            @Nullable String holder,
            @Nullable Duration remainingLease,
            @Nullable Holder details) {
        return "Lock '" + LogText.escape(lockName) + "' was not acquired within " + LogText.time(waited)
                + (holder == null ? "" : ": it is held by " + LogText.escape(holder))
                + (details == null ? "" : described(details))
                + (remainingLease == null ? "" : ", whose lease has " + LogText.time(remainingLease) + " left");
    }

    /** Only what is known: a holder of another library has no name and no beginning. */
    private static String described(Holder holder) {
        StringJoiner known = new StringJoiner(", ", " (", ")").setEmptyValue("");
        if (holder.clientName() != null) {
            known.add("client " + LogText.escape(holder.clientName()));
        }
        if (holder.thread().isPresent()) {
            known.add("thread " + holder.thread().getAsLong());
        }
        if (holder.since() != null) {
            known.add("since " + holder.since());
        }
        return known.toString();
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
     * The present holder, as Redis showed it when the wait had ended.
     *
     * @return the holder, the first of them where there are many; empty where nobody held the lock any more, or Redis did not say in time
     */
    public Optional<Holder> holderDetails() {
        return Optional.ofNullable(holderDetails);
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

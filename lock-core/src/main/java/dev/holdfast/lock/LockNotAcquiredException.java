package dev.holdfast.lock;

import dev.holdfast.lock.LockState.Holder;
import java.time.Duration;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Thrown when the wait has ended and the lock is still held. Redis did answer: the lock is "busy", and Redis is not "down". */
public class LockNotAcquiredException extends LockException {

    private static final long serialVersionUID = 1L;

    private final Duration waited;
    private final @Nullable String holder;
    private final @Nullable Duration remainingLease;
    private final transient @Nullable Holder holderDetails;

    /** Creates the exception. */
    public LockNotAcquiredException(
            String lockName, Duration waited, @Nullable String holder, @Nullable Duration remainingLease) {
        this(lockName, waited, holder, remainingLease, null);
    }

    /** Creates the exception with the state that Redis reported when the wait had ended. */
    public LockNotAcquiredException(String lockName, Duration waited, LockState found) {
        this(lockName, waited, found.owner(), found.remaining(), found.holder());
    }

    /** Creates the exception for a composite lock of which one member was busy. */
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

    /** Describes the known details of the holder. For example, the holder of another library has no client name and no start time. */
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

    /** Returns the wait that ended, as the caller gave it. */
    public Duration waited() {
        return waited;
    }

    /** Returns the id of the present holder, if known. The id of a holder of this library is {@code client:thread:grant}. */
    public Optional<String> holder() {
        return Optional.ofNullable(holder);
    }

    /**
     * Returns the present holder, as Redis reported it when the wait had ended, or the first of several holders. Empty if the lock was free by then
     * or Redis did not answer in time.
     */
    public Optional<Holder> holderDetails() {
        return Optional.ofNullable(holderDetails);
    }

    /** Returns the rest of the present holder's lease at the last answer of Redis, if known. */
    public Optional<Duration> remainingLease() {
        return Optional.ofNullable(remainingLease);
    }
}

package dev.holdfast.lock;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * Creates locks by name. An application needs only one client. The client owns the connections, the watchdog that renews held locks, and the queues
 * of local waiters. Thread-safe.
 *
 * <p>A name has 1 to 512 bytes in UTF-8, the client's prefix included. Braces are allowed only as one hash tag ({@code {tenant}:job}). Names that
 * differ in upper and lower case, or in the Unicode form of one text, are different names. Every method refuses an invalid name with an {@link
 * IllegalArgumentException} that says why.
 */
public interface LockClient extends AutoCloseable {

    /** Returns the re-entrant lock with this name. Cheap: sends and acquires nothing. All locks with one name are the same lock. */
    @CheckReturnValue
    default LeaseLock getLock(String name) {
        return getLock(name, LockKind.REENTRANT);
    }

    /** Returns the lock with this name and kind. Cheap: sends and acquires nothing. */
    @CheckReturnValue
    LeaseLock getLock(String name, LockKind kind);

    /** Returns the fair lock with this name. Redis grants it in the order of arrival, over all clients. Sends nothing. */
    @CheckReturnValue
    default LeaseLock getFairLock(String name) {
        return getLock(name, LockKind.FAIR);
    }

    /** Returns the read/write lock with this name. Sends nothing. */
    @CheckReturnValue
    default LeaseReadWriteLock getReadWriteLock(String name) {
        LeaseLock read = getLock(name, LockKind.READ);
        LeaseLock write = getLock(name, LockKind.WRITE);
        return new LeaseReadWriteLock() {
            @Override
            public LeaseLock readLock() {
                return read;
            }

            @Override
            public LeaseLock writeLock() {
                return write;
            }
        };
    }

    /**
     * Returns the semaphore with this name. It limits the number of permits held at a time, over all clients. Cheap: sends nothing. To change the
     * number of permits, get the semaphore with another number (see {@link LeaseSemaphore}). A semaphore and a lock must not have the same name.
     *
     * @param permits the number of permits, 1 to {@value LeaseSemaphore#MAX_PERMITS}
     * @throws IllegalArgumentException if the number of permits is out of bounds
     */
    @CheckReturnValue
    LeaseSemaphore getSemaphore(String name, int permits);

    /**
     * Returns the fair semaphore with this name. Redis grants its permits in the order of arrival, over all clients. Otherwise, the semaphore is like
     * that of {@link #getSemaphore}.
     *
     * @param permits the number of permits, 1 to {@value LeaseSemaphore#MAX_PERMITS}
     * @throws IllegalArgumentException if the number of permits is out of bounds
     */
    @CheckReturnValue
    LeaseSemaphore getFairSemaphore(String name, int permits);

    /**
     * Returns several re-entrant locks as one lock, which acquires all of them or none. The order of the names does not matter and repeated names
     * count once, so two callers with the same names in different orders cannot deadlock. If the lock of one name is lost, all are lost. The combined
     * lock also excludes holders of a single name, even if they are the same thread: a thread that holds one of the names and acquires the combined
     * lock waits for itself.
     *
     * @param names at least one
     * @throws IllegalArgumentException if there is no name
     */
    @CheckReturnValue
    LeaseLock getMultiLock(Collection<String> names);

    /** Returns the name by which others see this client, such as in {@link LockState.Holder#clientName()}. */
    String clientName();

    /** Returns the text that is kept beside the lock of that name. Cheap: it sends nothing. */
    @CheckReturnValue
    LockRecord getRecord(String name);

    /**
     * Makes every later fencing token of this lock greater than the given token, including later tokens of an existing grant. The tokens of other
     * locks may rise as well. Composite locks over several clients use this method to make their tokens comparable.
     *
     * <p>A token is the server's time in microseconds, times 1,024. So the tokens of two servers are close to each other if their clocks agree. A
     * token that is more than 24 hours ahead of the server's clock is refused, because all later tokens of every client would start from it, and a
     * very large token would leave no numbers for them.
     *
     * @param token a fencing token, possibly of another server
     * @return a stage that completes when Redis has stored the token. It fails with {@link LockUnavailableException} if Redis did not answer, and
     *     with {@link IllegalArgumentException} if the token is more than 24 hours ahead of the server's clock. In both cases, no token changes
     * @throws IllegalArgumentException if the token is negative
     */
    CompletionStage<Void> raiseTokens(String name, long token);

    /**
     * Returns who holds a lock according to Redis, including the names of the holders' clients.
     *
     * @return the state, or empty if the lock is free
     * @throws LockUnavailableException if Redis did not answer
     */
    Optional<LockState> inspect(String name);

    /**
     * Returns who holds each of the locks that {@link #getMultiLock} would combine. Asks Redis for one name after another.
     *
     * @param names at least one
     * @return the states of the held locks, sorted by name; empty if all are free
     * @throws LockUnavailableException if Redis did not answer
     */
    default List<LockState> inspect(Collection<String> names) {
        return sorted(names).stream().flatMap(name -> inspect(name).stream()).toList();
    }

    /**
     * Returns the locks that are held in Redis under this client's key prefix, by any client and any library. Otherwise like {@link
     * #findLocks(String)}.
     *
     * @throws IllegalStateException if this client has no key prefix. Each hash in the database would then be read like a lock. To do so anyway, call
     *     {@code findLocks("*")}
     */
    FoundLocks findLocks();

    /**
     * Returns the locks that are held in Redis and whose names match a pattern, whichever client or library holds them.
     *
     * <p>Redis has no list of locks, so this visits every key of the database, 500 keys to a command, in a cluster on one master after the other. Other
     * commands run in between. It ends after 1,000 locks or two seconds, and the result then says that it is not complete. Needs the right to
     * {@code SCAN}, which locks do not need. It is meant for people who look at their locks, not for code that decides by them: the result is no
     * snapshot, and a lock that is acquired or released meanwhile may or may not be found.
     *
     * @param pattern a pattern as that of the command SCAN, such as {@code order:*}; without the client's key prefix
     * @throws LockUnavailableException if Redis did not answer, or refused to
     */
    FoundLocks findLocks(String pattern);

    /**
     * Takes a lock away from its holder. Wakes the waiters at once. A holder that uses this library notices the loss at its next renewal at the
     * latest, and may continue to work until then.
     *
     * @return false if the lock was free
     * @throws LockUnavailableException if Redis did not answer, or if the key is not a lock of this library or of Redisson
     */
    boolean forceRelease(String name);

    /**
     * Takes each of the locks that {@link #getMultiLock} would combine away from its holder. A holder of several names loses all of them with the
     * first. The names are released one after another: if Redis stops answering, the names released before that are free.
     *
     * @param names at least one
     * @return false if all of them were free
     * @throws LockUnavailableException if Redis did not answer
     */
    default boolean forceRelease(Collection<String> names) {
        boolean held = false;
        for (String name : sorted(names)) {
            held |= forceRelease(name);
        }
        return held;
    }

    private SortedSet<String> sorted(Collection<String> names) {
        if (names == null || names.isEmpty()) {
            throw new IllegalArgumentException("At least one name must be given");
        }
        // Refuses an invalid name before any other name is processed.
        return names.stream().map(name -> getLock(name).name()).collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Asks the holder of a plain or fair lock, in any client, to stop. It keeps the lock until it releases it, so a holder that ignores the request
     * continues. Its {@link Lease#stopRequested()} is true from its next renewal on, which is within a third of its lease. A lease of fixed length is
     * not renewed, so its holder finds out only with {@link Lease#verify()} or {@link Lease#extend}. The request ends with the hold. A failover
     * can lose it, and holders that use a version of this library without this method ignore it.
     *
     * @param name the name of the lock, or one of the names of a combined lock
     * @return whether a holder was asked. False if the lock is free, if it is held as a read/write lock or a semaphore or by another library, or if
     *     its holder released it meanwhile
     * @throws LockUnavailableException if Redis did not answer. The holder may have been asked
     */
    boolean requestStop(String name);

    /** Returns the locks that this client holds now. */
    List<HeldLock> heldLocks();

    /**
     * Returns the callers that wait in this client now, at most 1,000 of them, the longest waits first. Answers locally. {@link
     * LockStatistics#waiting} is the total number.
     */
    List<WaitingLock> waitingLocks();

    /** Returns counts of this client's work since it was built, and of the leases it holds now. Answers locally. Visits each held lease. */
    LockStatistics statistics();

    /** Adds a listener, which receives every later event of this client's locks. */
    void addListener(LockListener listener);

    /**
     * Removes a listener. The listener may still receive events that happened before the removal. Does nothing if no listener equals this one.
     *
     * @param listener a listener that was added earlier, here or at the client's builder
     */
    void removeListener(LockListener listener);

    /**
     * Returns a stage that completes when the client has reached Redis for the first time. It fails with {@link LockUnavailableException} if the
     * client is closed first. A client connects in the background, and its first calls wait for the connection. So only code such as a readiness
     * check needs this stage. It does not report connections that break later.
     */
    CompletionStage<Void> connected();

    /**
     * Checks whether this Redis or Valkey server is suitable for locks: its version, eviction policy and clock, and the user's rights. Subscriptions
     * are checked once this client has waited for a lock: its first wait opens the connection that they need, and this check does not. The stage
     * fails with {@link LockUnavailableException} if the server does not answer.
     */
    CompletionStage<SelfCheck> selfCheck();

    /**
     * Closes the client with a grace time. Nothing more is acquired, and waits end at once. Held leases are renewed until they are released or the
     * grace time ends. Leases that are still held after the grace time are lost with {@link LossCause#CLOSED} and released in Redis. Returns when all
     * of this is done.
     *
     * @param grace the time that holders have to release their leases; zero or less for no grace time
     */
    void close(Duration grace);

    /** Closes the client without a grace time. */
    @Override
    default void close() {
        close(Duration.ZERO);
    }
}

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
 * Creates locks by name. An application needs one client: it owns the connections, the watchdog that renews held locks, and the queues of local
 * waiters. Thread-safe.
 *
 * <p>A name is 1 to 512 bytes of UTF-8, the client's prefix included. Braces are allowed where they make one hash tag ({@code {tenant}:job}); upper
 * and lower case, and different Unicode forms of one text, are different names. Every method refuses another name with an {@link
 * IllegalArgumentException} that says why.
 */
public interface LockClient extends AutoCloseable {

    /**
     * Returns the re-entrant lock of that name. Cheap: it sends nothing and acquires nothing. Locks of one name are one lock.
     */
    @CheckReturnValue
    default LeaseLock getLock(String name) {
        return getLock(name, LockKind.REENTRANT);
    }

    /**
     * Returns the lock of that name and kind. Cheap: it sends nothing and acquires nothing.
     */
    @CheckReturnValue
    LeaseLock getLock(String name, LockKind kind);

    /**
     * Returns the fair lock of that name: Redis grants it in the order of arrival, over all clients. Sends nothing.
     */
    @CheckReturnValue
    default LeaseLock getFairLock(String name) {
        return getLock(name, LockKind.FAIR);
    }

    /**
     * Returns the read/write lock of that name. Sends nothing.
     */
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
     * Returns the semaphore of that name: at most so many permits are held at a time, over all clients. Cheap: it sends nothing. Getting it with
     * another number is how the number changes, see {@link LeaseSemaphore}. Its name must not be that of a lock.
     *
     * @param permits how many permits there are, 1 to {@value LeaseSemaphore#MAX_PERMITS}
     * @throws IllegalArgumentException if there cannot be so many permits
     * @throws UnsupportedOperationException if this client has no semaphores
     */
    @CheckReturnValue
    default LeaseSemaphore getSemaphore(String name, int permits) {
        throw new UnsupportedOperationException(getClass().getName() + " has no semaphores");
    }

    /**
     * Returns the fair semaphore of that name: Redis grants its permits in the order of arrival, over all clients. Otherwise like {@link
     * #getSemaphore}.
     *
     * @param permits how many permits there are, 1 to {@value LeaseSemaphore#MAX_PERMITS}
     * @throws IllegalArgumentException if there cannot be so many permits
     * @throws UnsupportedOperationException if this client has no semaphores
     */
    @CheckReturnValue
    default LeaseSemaphore getFairSemaphore(String name, int permits) {
        throw new UnsupportedOperationException(getClass().getName() + " has no semaphores");
    }

    /**
     * Returns several re-entrant locks as one: all of them or none. The order of the names does not matter and repeated names count once, so two
     * callers with the same names in different orders cannot deadlock. If one is lost, all are lost. It excludes the holders of each single name,
     * also those of the same thread: a thread that holds one name and asks for all of them waits for itself.
     *
     * @param names at least one
     * @throws IllegalArgumentException if there is no name
     */
    @CheckReturnValue
    LeaseLock getMultiLock(Collection<String> names);

    /**
     * Makes every later token of this lock greater than the given one, also those of a grant that exists already. Other locks' tokens may rise as
     * well. For locks made of several clients' locks, whose tokens must be comparable.
     *
     * <p>A token is the server's time in microseconds, times 1,024. So another server's token is near this server's time if their clocks agree. A
     * token that is more than 24 hours ahead is refused: all later tokens of every client would start from it, and a very large one would leave no
     * room for them.
     *
     * @param token a fencing token, possibly of another server
     * @return completes when Redis has it; fails with {@link LockUnavailableException} if Redis did not answer, and with {@link
     *     IllegalArgumentException} if the token is more than 24 hours ahead of the server's clock. Nothing is changed then
     * @throws IllegalArgumentException if the token is negative
     */
    CompletionStage<Void> raiseTokens(String name, long token);

    /**
     * Returns who holds a lock according to Redis, with the names of the holders' clients.
     *
     * @return the state; empty if the lock is free
     * @throws LockUnavailableException if Redis did not answer
     */
    Optional<LockState> inspect(String name);

    /**
     * Returns who holds the locks of several names, as {@link #getMultiLock} takes them. Asks for one name after another.
     *
     * @param names at least one
     * @return the states of the held locks, sorted by name; empty if all are free
     * @throws LockUnavailableException if Redis did not answer
     */
    default List<LockState> inspect(Collection<String> names) {
        return sorted(names).stream().flatMap(name -> inspect(name).stream()).toList();
    }

    /**
     * Takes a lock away from its holder. Waiters wake at once. A holder of this library learns of it at its next renewal at the latest, and may go
     * on working until then.
     *
     * @return false if the lock was free
     * @throws LockUnavailableException if Redis did not answer
     */
    boolean forceRelease(String name);

    /**
     * Takes the locks of several names away from their holders, as {@link #getMultiLock} takes them. A holder of several names loses all of them
     * with the first. Takes one name after another: if Redis stops answering, the names before are free.
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
        // Refuses what cannot be a name before anything happens.
        return names.stream().map(name -> getLock(name).name()).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the locks that this client holds now. */
    List<HeldLock> heldLocks();

    /**
     * Returns the callers that wait in this client now, the longest waits first, at most 1,000. Answers locally. {@link LockStatistics#waiting} has
     * their number.
     */
    List<WaitingLock> waitingLocks();

    /** Returns what this client has done since it was built, and what it holds now. Answers locally; visits each held lease. */
    LockStatistics statistics();

    /** Adds a listener for every later event of this client's locks. */
    void addListener(LockListener listener);

    /**
     * Removes a listener. It may still receive events that happened before. Does nothing if no listener equals this one.
     *
     * @param listener added earlier, here or at the client's builder
     */
    void removeListener(LockListener listener);

    /**
     * Returns a stage that completes when the client has reached Redis for the first time. It fails with {@link LockUnavailableException} if the
     * client is closed before. A client connects in the background and its first calls wait for that, so only a readiness check or the like needs
     * this stage. It does not show connections that break later.
     */
    CompletionStage<Void> connected();

    /**
     * Checks whether this Redis or Valkey is fit for locks: version, eviction policy, the user's rights, subscriptions, the clock. The stage fails
     * with {@link LockUnavailableException} if the server does not answer.
     */
    CompletionStage<SelfCheck> selfCheck();

    /**
     * Closes with grace: nothing new is acquired, and waits end at once. Held leases are renewed until they are released or the grace time ends.
     * What is still held then is lost with {@link LossCause#CLOSED} and released in Redis. Returns when all is done.
     *
     * @param grace how long holders may take; zero or less for none
     */
    void close(Duration grace);

    /** Closes without grace. */
    @Override
    default void close() {
        close(Duration.ZERO);
    }
}

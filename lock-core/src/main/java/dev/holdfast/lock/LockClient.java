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
 * Hands out locks by name. One for each application: it owns the connections, the watchdog that renews what is held, and the rooms in which
 * its threads wait. Thread-safe.
 *
 * <p>A name is 1 to 512 bytes of UTF-8, the client's prefix included. Braces are allowed where they make one hash tag ({@code {tenant}:job});
 * upper and lower case, and different Unicode forms of one text, are different names.
 */
public interface LockClient extends AutoCloseable {

    /**
     * The re-entrant lock of that name. Cheap, sends nothing; locks of one name are one lock.
     *
     * @param name the lock's name
     * @return the lock
     * @throws IllegalArgumentException if the name cannot be a lock's name; the message says why
     */
    @CheckReturnValue
    default LeaseLock getLock(String name) {
        return getLock(name, LockKind.REENTRANT);
    }

    /**
     * The lock of that name and kind. Cheap, sends nothing; locks of one name and kind are one lock.
     *
     * @param name the lock's name
     * @param kind what kind of lock the name is
     * @return the lock
     * @throws IllegalArgumentException if the name cannot be a lock's name; the message says why
     */
    @CheckReturnValue
    LeaseLock getLock(String name, LockKind kind);

    /**
     * The fair lock of that name: Redis grants it in the order of arrival, over all clients. Cheap, sends nothing.
     *
     * @param name the lock's name
     * @return the lock
     * @throws IllegalArgumentException if the name cannot be a lock's name; the message says why
     */
    @CheckReturnValue
    default LeaseLock getFairLock(String name) {
        return getLock(name, LockKind.FAIR);
    }

    /**
     * The read/write lock of that name.
     *
     * @param name the lock's name
     * @return both sides of it
     * @throws IllegalArgumentException if the name cannot be a lock's name; the message says why
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
     * Several re-entrant locks as one: all of them or none. The order of the names does not matter and repeated ones count once, so two that
     * take the same names in different orders cannot wait for each other. Losing one is losing all. It excludes the holders of each name alone,
     * a thread's own hold included: whoever has one of the names and asks for all of them waits for itself.
     *
     * @param names at least one
     * @return the lock over all of them
     * @throws IllegalArgumentException if there is no name, or one cannot be a lock's name; the message says why
     */
    @CheckReturnValue
    LeaseLock getMultiLock(Collection<String> names);

    /**
     * Makes every token that is given from now on for this lock greater than this one, also a token that a grant which is already out would
     * have brought. Other locks' tokens may rise as well. For locks that are made of several clients' locks and need tokens that compare.
     *
     * <p>A token is the server's time in microseconds, times 1,024. So the token of another server is near this server's time, as far as their clocks
     * agree. A token that is more than 24 hours ahead is refused: all later tokens would start from it, for every client, and a very large one would
     * leave no room for them.
     *
     * @param name the lock's name
     * @param token a fencing token, of another server's perhaps
     * @return completes when Redis knows it; fails with {@link LockUnavailableException} if Redis did not answer, and with
     *     {@link IllegalArgumentException} if the token is more than 24 hours ahead of the server's clock. Nothing is changed then
     * @throws IllegalArgumentException if the name cannot be a lock's name, or the token is negative
     */
    CompletionStage<Void> raiseTokens(String name, long token);

    /**
     * Who holds a lock, as Redis shows it, and what the holders' clients call themselves.
     *
     * @param name the lock's name
     * @return the state, empty if nobody holds it
     * @throws LockUnavailableException if Redis did not answer
     */
    Optional<LockState> inspect(String name);

    /**
     * Who holds locks of several names, as {@link #getMultiLock} has them. Asks for one name after another.
     *
     * @param names at least one
     * @return the states of those that are held, by name; empty if all are free
     * @throws LockUnavailableException if Redis did not answer
     */
    default List<LockState> inspect(Collection<String> names) {
        return sorted(names).stream().flatMap(name -> inspect(name).stream()).toList();
    }

    /**
     * Takes a lock away from whoever holds it. Waiters wake at once; a holder of this library is told at its next renewal at the latest, and
     * may go on working until then.
     *
     * @param name the lock's name
     * @return false if nobody held it
     * @throws LockUnavailableException if Redis did not answer
     */
    boolean forceRelease(String name);

    /**
     * Takes the locks of several names away from whoever holds them, as {@link #getMultiLock} has them. A holder of several names loses all of them with
     * the first. Takes away one name after another: if Redis does not answer in between, those before are free.
     *
     * @param names at least one
     * @return false if nobody held any of them
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

    /**
     * What this client holds now.
     *
     * @return a snapshot
     */
    List<HeldLock> heldLocks();

    /**
     * Who waits in this client now, those who have waited longest first. Answers locally. Shows a thousand at the most; how many there are
     * is {@link LockStatistics#waiting}.
     *
     * @return a snapshot
     */
    List<WaitingLock> waitingLocks();

    /**
     * What this client has done since it was built, and has to do now. Answers locally; looks at each lease that is held.
     *
     * @return the numbers
     */
    LockStatistics statistics();

    /**
     * Adds a listener, which hears of every event of this client's locks from now on.
     *
     * @param listener called as {@link LockListener} says
     */
    void addListener(LockListener listener);

    /**
     * Removes a listener. It may still hear of events that have happened before. Does nothing if there is no listener that equals this one.
     *
     * @param listener added earlier, here or at the client's builder
     */
    void removeListener(LockListener listener);

    /**
     * The client's first connection to Redis. A client connects in the background, and its first calls wait for that, so nothing needs this
     * stage; it is for callers that want to know, such as a readiness check. It says nothing about connections that break later.
     *
     * @return completes once the client has reached Redis for the first time, however long that takes; fails with
     *     {@link LockUnavailableException} if the client is closed before
     */
    CompletionStage<Void> connected();

    /**
     * Checks whether this Redis or Valkey is fit for locks: version, eviction policy, the user's rights, subscriptions, the clock's distance.
     *
     * @return the findings; fails with {@link LockUnavailableException} if the server did not answer
     */
    CompletionStage<SelfCheck> selfCheck();

    /**
     * Closes with grace: nothing new is acquired and waiters are told at once; what is held goes on being renewed until it is released or
     * the grace time ends. What is still held then is lost with {@link LossCause#CLOSED} and given back to Redis. Returns when all is done.
     *
     * @param grace how long holders may take; zero or less gives none
     */
    void close(Duration grace);

    /** Closes without grace. */
    @Override
    default void close() {
        close(Duration.ZERO);
    }
}

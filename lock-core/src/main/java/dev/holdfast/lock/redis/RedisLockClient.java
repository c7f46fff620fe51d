package dev.holdfast.lock.redis;

import dev.holdfast.lock.CheckReturnValue;
import dev.holdfast.lock.FoundLocks;
import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.background.CallbackThreads;
import dev.holdfast.lock.internal.connection.KeySlots;
import dev.holdfast.lock.internal.engine.ClientSettings;
import dev.holdfast.lock.internal.engine.Session;
import dev.holdfast.lock.internal.event.Counters;
import dev.holdfast.lock.internal.inspect.LockInspector;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lock client on Redis. It can be closed and started again together with its application. Its locks stay usable: after a new start, they use the
 * new connections. Leases from before the close are lost. Thread-safe.
 *
 * <pre>{@code
 * try (LockClient locks = RedisLockClient.create(RedisSource.of("redis://localhost"))) {
 *     try (Lease lease = locks.getLock("nightly-report").acquire()) {
 *         report();
 *     }
 * }
 * }</pre>
 */
public final class RedisLockClient implements LockClient {

    /** The largest number of waiters in the result of {@link #waitingLocks()}. */
    static final int MOST_SHOWN = 1000;

    final ClientSettings settings;
    final LockKeys keys;
    final ThreadHolds<HeldLease> holds = new ThreadHolds<>();

    private final KeySlots slots;
    private final RedisSource source;
    private final MultiLocks multiLocks;
    private final Counters counters = new Counters();
    /** Kept when the client is closed, so that a caller that still holds a lock can learn from its session that the lease was lost. */
    private volatile @Nullable Session open;

    /** What happens to a client that has had no session yet. */
    private Unused unused = Unused.AWAITS_START;

    private enum Unused {
        AWAITS_START,
        STARTS_WHEN_USED,
        CLOSED
    }

    RedisLockClient(ClientSettings settings, RedisSource source) {
        this.settings = settings;
        this.slots = new KeySlots(source.hasSeparateSlots());
        this.keys = new LockKeys(settings.keyPrefix(), slots);
        this.source = source;
        this.multiLocks = new MultiLocks(this);
    }

    /** Creates a builder of clients. */
    @CheckReturnValue
    public static RedisLockClientBuilder builder(RedisSource source) {
        return new RedisLockClientBuilder(source);
    }

    /** Creates and starts a client with the default settings. Connects in the background, so Redis need not be up yet. */
    @CheckReturnValue
    public static LockClient create(RedisSource source) {
        return builder(source).build();
    }

    /** Starts the client, even if it was closed before. Connects in the background. Has no effect on a client that is already started. */
    public synchronized void start() {
        if (!isStarted()) {
            open = new Session(settings, keys, source.opener(slots), holds, counters);
        }
    }

    /**
     * Lets the first use of a lock start the client. Until then it has no threads and no connections. Starts a client at once that was started and
     * closed before. {@link #close(Duration)} revokes it.
     */
    public synchronized void startWhenUsed() {
        if (open == null) {
            unused = Unused.STARTS_WHEN_USED;
        } else {
            start();
        }
    }

    /**
     * Returns whether the client is started: true between a start and the next call of {@link #close(Duration)}. So a client that is still closing is
     * not started.
     */
    public boolean isStarted() {
        Session now = open;
        return now != null && !now.isClosed();
    }

    /** Returns the session, or null before the first start. */
    @Nullable
    Session sessionOrNull() {
        return open;
    }

    /** Returns the session that the first use has started, or null if no use may start it. */
    private synchronized @Nullable Session used() {
        if (open == null && unused == Unused.STARTS_WHEN_USED) {
            try {
                start();
            } catch (RuntimeException notYet) {
                // The application's Redis client may not exist yet. The caller learns that this client is not started,
                // and the next use tries again.
            }
        }
        return open;
    }

    /** Returns the session, after its start by this use if the use may start it. */
    Session session(String lockName) {
        Session now = open;
        if (now == null) {
            now = used();
        }
        if (now == null) {
            throw withoutSession(lockName);
        }
        return now;
    }

    private synchronized LockUnavailableException withoutSession(String lockName) {
        return unused == Unused.CLOSED ? RedisFailures.closed(lockName) : RedisFailures.notStarted(lockName);
    }

    /** Sends a request through the session. Without a session, returns a failed future, as other asynchronous methods do. */
    <T> CompletableFuture<T> whenStarted(String lockName, Function<Session, CompletionStage<T>> request) {
        Session opened = open;
        Session now = opened == null ? used() : opened;
        return now == null
                ? CompletableFuture.failedFuture(withoutSession(lockName))
                : request.apply(now).toCompletableFuture();
    }

    /** Waits for the answer to a request about a lock. */
    <T> T await(String name, CompletableFuture<T> answer) {
        return RedisFailures.join(settings.background(), name, answer);
    }

    /** Returns the number of holders of a lock. One round trip, because the holders' names are not needed. */
    int holders(String name) {
        return await(name, session(name).inspector().holders(name, keys.lock(name)));
    }

    CompletableFuture<Void> tokensRaised(String name, long token) {
        String key = keys.lock(name);
        return whenStarted(name, now -> now.raiseTokens(name, key, token));
    }

    @Override
    public LeaseLock getLock(String name) {
        return getLock(name, LockKind.REENTRANT);
    }

    @Override
    public LeaseLock getLock(String name, LockKind kind) {
        if (kind == null) {
            throw new IllegalArgumentException(
                    "A lock's kind must be one of " + List.of(LockKind.values()) + ", was null");
        }
        return switch (kind) {
            case REENTRANT, FAIR, READ, WRITE -> lock(name, kind, 0);
            case SEMAPHORE, FAIR_SEMAPHORE ->
                throw new IllegalArgumentException(
                        "A lock's kind must not be " + kind + ": use getSemaphore or getFairSemaphore");
        };
    }

    RedisLock lock(String name, LockKind kind, int permits) {
        return RedisLock.of(name, kind, permits, this);
    }

    @Override
    public LeaseSemaphore getSemaphore(String name, int permits) {
        return semaphore(name, LockKind.SEMAPHORE, permits);
    }

    @Override
    public LeaseSemaphore getFairSemaphore(String name, int permits) {
        return semaphore(name, LockKind.FAIR_SEMAPHORE, permits);
    }

    private LeaseSemaphore semaphore(String name, LockKind kind, int permits) {
        if (permits < 1 || permits > LeaseSemaphore.MAX_PERMITS) {
            throw new IllegalArgumentException(
                    "'permits' must be between 1 and " + LeaseSemaphore.MAX_PERMITS + ", was " + permits);
        }
        return new RedisSemaphore(lock(name, kind, permits), permits);
    }

    @Override
    public LeaseLock getMultiLock(Collection<String> names) {
        return multiLocks.of(names);
    }

    @Override
    public String clientName() {
        return settings.clientName();
    }

    @Override
    public LockRecord getRecord(String name) {
        return new RedisRecord(name, keys.lock(name), this);
    }

    @Override
    public CompletionStage<Void> raiseTokens(String name, long token) {
        return CallbackThreads.view(tokensRaised(name, token), settings.callbacks());
    }

    @Override
    public Optional<LockState> inspect(String name) {
        String key = keys.lock(name);
        Session now = session(name);
        return await(
                name, now.inspector().inspectWithNames(name, key, waitersHere(now, key), LockInspector.MOST_PLACES));
    }

    private static int waitersHere(Session now, String key) {
        return now.waitersHere(lock -> MultiLocks.includes(lock, key));
    }

    @Override
    public FoundLocks findLocks() {
        return findLocks(keys.allNames());
    }

    @Override
    public FoundLocks findLocks(String pattern) {
        Session now = session(Arguments.notNull("pattern", pattern));
        return now.find(pattern, key -> waitersHere(now, key));
    }

    @Override
    public boolean forceRelease(String name) {
        String key = keys.lock(name);
        return await(name, session(name).inspector().forceRelease(key));
    }

    @Override
    public boolean requestStop(String name) {
        String key = keys.lock(name);
        return await(name, session(name).inspector().requestStop(name, key));
    }

    @Override
    public List<HeldLock> heldLocks() {
        Session now = open;
        return now == null ? List.of() : now.heldLocks();
    }

    @Override
    public List<WaitingLock> waitingLocks() {
        Session now = open;
        return now == null ? List.of() : now.waitingLocks(MOST_SHOWN);
    }

    @Override
    public LockStatistics statistics() {
        return Session.statistics(counters, open);
    }

    @Override
    public void addListener(LockListener listener) {
        settings.listeners().add(Arguments.notNull("listener", listener));
    }

    @Override
    public void removeListener(LockListener listener) {
        settings.listeners().remove(Arguments.notNull("listener", listener));
    }

    @Override
    public CompletionStage<Void> connected() {
        return whenStarted("connected", Session::connected);
    }

    @Override
    public CompletionStage<SelfCheck> selfCheck() {
        return whenStarted("self-check", Session::selfCheck);
    }

    /** Closes the client as described in {@link LockClient#close(Duration)}. {@link #start()} opens it again. */
    @Override
    public void close(Duration grace) {
        long graceNanos = LeaseTerms.nanos("grace", grace);
        synchronized (this) {
            // From now on, no use starts the client. A client that was never used is closed by this.
            unused = Unused.CLOSED;
        }
        Session now = open;
        if (now != null) {
            now.close(graceNanos);
        }
    }
}

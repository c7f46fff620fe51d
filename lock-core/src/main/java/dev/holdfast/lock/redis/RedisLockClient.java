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
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.background.CallbackThreads;
import dev.holdfast.lock.internal.engine.ClientSettings;
import dev.holdfast.lock.internal.engine.Session;
import dev.holdfast.lock.internal.inspect.LockInspector;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.LockKeys;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

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

    private final PresentSession session;
    private final LockKeys keys;
    private final MultiLocks multiLocks;

    RedisLockClient(ClientSettings settings, RedisSource source) {
        this.session = new PresentSession(settings, source);
        this.keys = session.keys;
        this.multiLocks = new MultiLocks(session);
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
    public void start() {
        session.start();
    }

    /**
     * Lets the first use of a lock start the client. Until then it has no threads and no connections. Starts a client at once that was started and
     * closed before. {@link #close(Duration)} revokes it.
     */
    public void startWhenUsed() {
        session.startWhenUsed();
    }

    /**
     * Returns whether the client is started: true between a start and the next call of {@link #close(Duration)}. So a client that is still closing is
     * not started.
     */
    public boolean isStarted() {
        return session.isStarted();
    }

    PresentSession session() {
        return session;
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
        return RedisLock.of(name, kind, permits, session);
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
        return session.settings.clientName();
    }

    @Override
    public LockRecord getRecord(String name) {
        return new RedisRecord(name, keys.lock(name), session);
    }

    @Override
    public CompletionStage<Void> raiseTokens(String name, long token) {
        return CallbackThreads.view(session.raiseTokens(name, token), session.settings.callbacks());
    }

    @Override
    public Optional<LockState> inspect(String name) {
        String key = keys.lock(name);
        Session now = session.get(name);
        return session.await(
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
        Session now = session.get(Arguments.notNull("pattern", pattern));
        return now.find(pattern, key -> waitersHere(now, key));
    }

    @Override
    public boolean forceRelease(String name) {
        String key = keys.lock(name);
        return session.await(name, session.get(name).inspector().forceRelease(key));
    }

    @Override
    public boolean requestStop(String name) {
        String key = keys.lock(name);
        return session.await(name, session.get(name).inspector().requestStop(name, key));
    }

    @Override
    public List<HeldLock> heldLocks() {
        Session now = session.orNull();
        return now == null ? List.of() : now.heldLocks();
    }

    @Override
    public List<WaitingLock> waitingLocks() {
        Session now = session.orNull();
        return now == null ? List.of() : now.waitingLocks(MOST_SHOWN);
    }

    @Override
    public LockStatistics statistics() {
        return session.statistics();
    }

    @Override
    public void addListener(LockListener listener) {
        session.settings.listeners().add(Arguments.notNull("listener", listener));
    }

    @Override
    public void removeListener(LockListener listener) {
        session.settings.listeners().remove(Arguments.notNull("listener", listener));
    }

    @Override
    public CompletionStage<Void> connected() {
        return session.whenStarted("connected", Session::connected);
    }

    @Override
    public CompletionStage<SelfCheck> selfCheck() {
        return session.whenStarted("self-check", Session::selfCheck);
    }

    /** Closes the client as described in {@link LockClient#close(Duration)}. {@link #start()} opens it again. */
    @Override
    public void close(Duration grace) {
        long graceNanos = LeaseTerms.nanos("grace", grace);
        session.endUnused();
        Session now = session.orNull();
        if (now != null) {
            now.close(graceNanos);
        }
    }
}

package dev.holdfast.lock.redis;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.connection.RedisSource;
import dev.holdfast.lock.lease.AcquisitionSite;
import dev.holdfast.lock.lease.HeldLease;
import dev.holdfast.lock.lease.Tally;
import dev.holdfast.lock.lease.Tally.Item;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The lock client on Redis.
 *
 * <pre>{@code
 * try (LockClient locks = RedisLockClient.create(RedisSource.of("redis://localhost"))) {
 *     try (Lease lease = locks.lock("nightly-report").acquire()) {
 *         …
 *     }
 * }
 * }</pre>
 */
public final class RedisLockClient implements LockClient {

    /** Of those who wait: enough to see what is going on, few enough to be sent to whoever looks. */
    static final int MOST_SHOWN = 1000;

    private final ClientParts parts;
    private final LockKeys keys;
    private final Map<LockKind, RedisKind> kinds;
    private final LockInspector inspector;
    private final SelfChecker checker;
    private final MultiLocks multiLocks;
    private final TokenRaising raising;
    private final AtomicBoolean closing = new AtomicBoolean();

    RedisLockClient(ClientParts parts, LockKeys keys, Map<LockKind, RedisKind> kinds) {
        this.parts = parts;
        this.keys = keys;
        this.kinds = kinds;
        this.inspector = new LockInspector(parts.gateway(), keys);
        this.multiLocks = new MultiLocks(parts, keys, this);
        this.raising = new TokenRaising(parts, keys);
        this.checker = new SelfChecker(parts, keys, kind(LockKind.REENTRANT).protocol());
    }

    /**
     * Begins a client.
     *
     * @param source where Redis is
     * @return a builder with defaults for everything
     */
    public static RedisLockClientBuilder builder(RedisSource source) {
        return new RedisLockClientBuilder(source);
    }

    /**
     * A client with defaults for everything. Connects in the background: Redis need not be up yet.
     *
     * @param source where Redis is
     * @return the client
     */
    public static LockClient create(RedisSource source) {
        return builder(source).build();
    }

    @Override
    public LeaseLock lock(String name, LockKind kind) {
        return new RedisLock(name, key(name), kind(kind), parts, () -> isLocked(name));
    }

    private RedisKind kind(LockKind kind) {
        RedisKind known = kinds.get(kind);
        if (known == null) {
            throw new IllegalArgumentException("A lock's kind must be one of " + kinds.keySet() + ", was " + kind);
        }
        return known;
    }

    @Override
    public LeaseLock multiLock(Collection<String> names) {
        return multiLocks.of(names);
    }

    @Override
    public CompletionStage<Void> raiseTokens(String name, long token) {
        return parts.announcer()
                .onCallerSide(raising.raise(name, key(name), token).thenApply(done -> null));
    }

    private String key(String name) {
        if (name == null) {
            throw new IllegalArgumentException("A lock's name must not be null");
        }
        if (name.isEmpty()) {
            // With a prefix its key would not be.
            throw new IllegalArgumentException("A lock's name must not be empty");
        }
        return keys.lock(name);
    }

    @Override
    public Optional<LockState> inspect(String name) {
        String key = key(name);
        return await(name, parts.holders().find(name, key, waitersHere(key) + multiLocks.waitersHere(key)));
    }

    /** One round trip: nobody asks by whom. */
    boolean isLocked(String name) {
        return await(name, inspector.inspect(name, key(name), 0)).isPresent();
    }

    private int waitersHere(String key) {
        return kinds.values().stream()
                .mapToInt(kind -> parts.rooms().waiters(kind.roomKey(key)))
                .sum();
    }

    @Override
    public boolean forceRelease(String name) {
        String key = key(name);
        return await(
                name,
                inspector.forceRelease(key, kind(LockKind.REENTRANT).protocol().channel(key)));
    }

    private static <T> T await(String name, CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (RuntimeException e) {
            throw RedisFailures.unavailable(name, e);
        }
    }

    @Override
    public List<HeldLock> heldLocks() {
        return parts.watchdog().held().map(this::describe).toList();
    }

    private HeldLock describe(HeldLease lease) {
        return new HeldLock(
                lease.lockName(),
                lease.kind(),
                lease.fencingToken(),
                lease.held(),
                lease.remaining(),
                lease.isRenewed(),
                lease.terms().thread().getName(),
                waitersHere(lease.grant().key()),
                AcquisitionSite.calls(lease.terms().site()));
    }

    @Override
    public List<WaitingLock> waitingLocks() {
        return parts.rooms().waiting(MOST_SHOWN);
    }

    @Override
    public LockStatistics statistics() {
        Tally tally = parts.tally();
        return new LockStatistics(
                tally.of(Item.ACQUIRED),
                tally.of(Item.BUSY),
                tally.of(Item.UNAVAILABLE),
                tally.of(Item.LOST),
                tally.of(Item.HAND_OFF),
                tally.of(Item.WAKE_UP_BY_SIGNAL),
                tally.of(Item.WAKE_UP_BY_POLL),
                tally.of(Item.TAKE_BACK),
                tally.of(Item.RENEWAL),
                tally.of(Item.RENEWAL_FAILURE),
                (int) parts.watchdog().held().count(),
                parts.rooms().waiters(),
                parts.watchdog().renewalLag());
    }

    @Override
    public CompletionStage<SelfCheck> selfCheck() {
        return checker.check();
    }

    @Override
    public void close(Duration grace) {
        long graceNanos = Acquisition.nanos("grace", grace);
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        parts.closed().set(true);
        parts.rooms().refuseEverybody();
        boolean interrupted = waitFor(parts.watchdog().drained(), graceNanos);
        long patienceEnd = System.nanoTime()
                + parts.settings().connection().commandTimeout().toNanos();
        interrupted |= waitFor(parts.releases().arrived(), patienceEnd - System.nanoTime());
        parts.watchdog().held().forEach(lease -> lease.lose(LossCause.CLOSED));
        interrupted |= waitFor(parts.releases().settled(), patienceEnd - System.nanoTime());
        interrupted |= waitFor(parts.names().forget(), patienceEnd - System.nanoTime());
        parts.releases().abandon();
        try {
            parts.timer().close();
            parts.watchdog().close();
            parts.gateway().close();
            parts.announcer().close();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Answers whether the wait was interrupted: closing goes on, without further grace, and the flag is set at its end. */
    private static boolean waitFor(CompletableFuture<Void> end, long longestNanos) {
        try {
            end.get(Math.max(0, longestNanos), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true;
        } catch (ExecutionException | TimeoutException e) {
            // What could not be released runs out by itself.
        }
        return false;
    }
}

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.CallbackThreads;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.event.AcquisitionSite;
import dev.holdfast.lock.internal.event.Counters;
import dev.holdfast.lock.internal.event.EventPublisher;
import dev.holdfast.lock.internal.event.LossLog;
import dev.holdfast.lock.internal.inspect.ClientNames;
import dev.holdfast.lock.internal.inspect.LockInspector;
import dev.holdfast.lock.internal.inspect.SelfChecker;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.Watchdog;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.OwnerId;
import dev.holdfast.lock.internal.protocol.PlainProtocol;
import dev.holdfast.lock.internal.protocol.ReadWriteProtocol;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.waiting.WaitingRooms;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * The part of a client that a start creates and a close ends. All locks of the client share it: connections, threads, waiters and leases. The next
 * start creates another session.
 */
public final class ClientSession {

    public final ClientSettings settings;
    public final RedisGateway gateway;
    public final WaitingRooms rooms;
    public final Watchdog watchdog;
    public final EventPublisher events;
    public final LockInspector inspector;
    public final Ticker ticker;
    final Background background;
    final Timer timer;
    public final PendingReleases releases;
    public final LeasesByKey leasesByKey = new LeasesByKey();
    final RedissonWaiters redissonWaiters = new RedissonWaiters();
    final HandOver handOver = new HandOver(this);
    public final ThreadHolds<HeldLease> holds;
    final OwnerId.Source owners;
    final ClientNames names;
    final Deadlocks deadlocks;
    /** The channels on which this client is notified, by the part that precedes the client's id. All locks of a channel share one string. */
    final Map<String, String> wakeChannels = new ConcurrentHashMap<>();

    final TokenBounds tokens;
    public final Records records;
    final AtomicBoolean closed = new AtomicBoolean();
    private volatile List<SelfCheck.Finding> findings = List.of();
    private final LockKeys keys;
    private final Map<LockKind, LockProtocol> protocols = new EnumMap<>(LockKind.class);

    /**
     * Opens a session, which connects in the background.
     *
     * @param holds the holds of all threads, kept over all sessions
     * @param counters the counters, kept over all sessions
     */
    public ClientSession(
            ClientSettings settings,
            LockKeys keys,
            RedisGateway.Opener redis,
            ThreadHolds<HeldLease> holds,
            Counters counters) {
        this.settings = settings;
        this.keys = keys;
        this.holds = holds;
        this.ticker = settings.ticker();
        this.background = settings.background();
        this.owners = new OwnerId.Source(background);
        this.timer = timer("holdfast-timer");
        this.gateway = redis.open(settings.connection(), timer, ticker);
        this.events = new EventPublisher(
                settings.listeners(),
                counters,
                new LossLog(timer, ticker, redis.lossLevel()),
                settings.callbacks(),
                background);
        this.watchdog = new Watchdog(timer("holdfast-watchdog"), events, counters, ticker);
        redis.started(watchdog, events);
        this.rooms = new WaitingRooms(
                timer, ticker, settings.pollNanos(), counters, background.roomSteps(), background::random);
        this.releases = new PendingReleases(timer, ticker);
        this.names = new ClientNames(
                gateway,
                keys,
                timer,
                owners.client(),
                settings.clientName(),
                settings.clientNameLifetime(),
                () -> rooms.waiters() > 0 || watchdog.held().findAny().isPresent());
        this.deadlocks = new Deadlocks(gateway, keys, settings.clientName(), watchdog, timer, background.roomSteps());
        this.inspector = new LockInspector(gateway, keys, names);
        this.tokens = new TokenBounds(gateway, keys, settings.minReplicas());
        this.records = new Records(gateway, settings.minReplicas());
        for (LockKind kind : LockKind.values()) {
            protocols.put(kind, newProtocol(kind));
        }
        if (settings.longHoldThreshold() != null) {
            watchdog.reportLongHolds(LeaseTerms.nanos("longHoldThreshold", settings.longHoldThreshold()));
        }
        if (settings.checksAtStart()) {
            gateway.firstConnected().thenCompose(connected -> selfCheck()).whenComplete(SelfChecker::log);
        }
    }

    private Timer timer(String name) {
        return settings.scheduler() == null
                ? Timer.onThread(name, background)
                : Timer.on(settings.scheduler(), settings.ticker());
    }

    private LockProtocol newProtocol(LockKind kind) {
        return kind == LockKind.READ || kind == LockKind.WRITE
                ? new ReadWriteProtocol(gateway, keys, settings.minReplicas(), kind, settings.writersFirst())
                : new PlainProtocol(gateway, keys, settings.minReplicas(), kind);
    }

    public LockProtocol protocol(LockKind kind) {
        return Objects.requireNonNull(protocols.get(kind));
    }

    public CompletionStage<SelfCheck> selfCheck() {
        SelfChecker checker = new SelfChecker(
                gateway,
                names,
                owners,
                keys,
                protocol(LockKind.REENTRANT),
                timer,
                background,
                settings.connection().firstConnectTimeout());
        CompletionStage<SelfCheck> answer = checker.check().whenComplete((check, failure) -> {
            if (check != null) {
                findings = check.findings();
            }
        });
        return CallbackThreads.view(answer, settings.callbacks());
    }

    /** Returns how many findings of this severity the latest self-check had. */
    public int findings(SelfCheck.Severity severity) {
        return (int) findings.stream()
                .filter(finding -> finding.severity() == severity)
                .count();
    }

    public CompletionStage<Void> connected() {
        CompletionStage<Void> connected = gateway.firstConnected()
                .exceptionallyCompose(
                        closed -> CompletableFuture.failedFuture(RedisFailures.unavailable("connected", closed)));
        return CallbackThreads.view(connected, settings.callbacks());
    }

    public CompletableFuture<Void> raiseTokens(String name, String key, long token) {
        return tokens.raise(name, key, token);
    }

    /** Returns whether this client holds the lock in Redis, or is among the first places of its queue. */
    public CompletableFuture<Boolean> isInRedis(String name, String key) {
        return inspector
                .inspect(name, key, 0, LockInspector.MOST_PLACES)
                .thenApply(found -> found.stream()
                        .flatMap(state ->
                                Stream.concat(state.holders().stream().map(Holder::owner), state.queue().stream()))
                        .anyMatch(owner -> new OwnerId(owner).client().equals(owners.client())));
    }

    public CompletableFuture<Boolean> forceRelease(String key) {
        return inspector.forceRelease(key);
    }

    public int waitersHere(String key) {
        return rooms.waiters(lock -> lock.key().equals(key));
    }

    public List<HeldLock> heldLocks() {
        return watchdog.held().map(this::describe).toList();
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

    public boolean isClosed() {
        return closed.get();
    }

    public void close(long graceNanos) {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        rooms.refuseEverybody();
        CompletableFuture<Void> decided = releases.decided();
        boolean interrupted = waitFor(decided.thenCompose(none -> watchdog.drained()), graceNanos);
        long retryEnd =
                background.nanoTime() + settings.connection().commandTimeout().toNanos();
        interrupted |= waitFor(decided, retryEnd - background.nanoTime());
        watchdog.held().forEach(lease -> lease.lose(LossCause.CLOSED));
        // A holder that has begun its release may not have sent it yet.
        interrupted |= waitFor(watchdog.drained(), retryEnd - background.nanoTime());
        interrupted |= waitFor(releases.allReleased(), retryEnd - background.nanoTime());
        interrupted |= waitFor(names.forget(), retryEnd - background.nanoTime());
        releases.abandon();
        try {
            timer.close();
            watchdog.close();
            gateway.close();
            events.close();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits for a future for at most the given time. Returns whether the wait was interrupted. Closing then continues without further grace, and sets
     * the interrupt status at its end.
     */
    private boolean waitFor(CompletableFuture<Void> end, long longestNanos) {
        try {
            background.get(end, Math.max(0, longestNanos));
        } catch (InterruptedException e) {
            return true;
        } catch (ExecutionException | TimeoutException e) {
            // A lock that could not be released runs out by itself.
        }
        return false;
    }
}

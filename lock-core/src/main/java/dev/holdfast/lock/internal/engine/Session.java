package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.FoundLocks;
import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.WaitingLock;
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
import dev.holdfast.lock.internal.inspect.LockFinder;
import dev.holdfast.lock.internal.inspect.LockInspector;
import dev.holdfast.lock.internal.inspect.SelfChecker;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTable;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.OwnerId;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.reign.Grace;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.waiting.WaitingRooms;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The part of a client that a start creates and a close ends. All locks of the client share it: connections, threads, waiters and leases. The engines
 * of its locks use its parts. The next start creates another session.
 */
public final class Session {

    final ClientSettings settings;
    final ThreadHolds<HeldLease> holds;
    final Timer timer;
    final RedisGateway gateway;
    final OwnerId.Source owners;
    final FencingTokens tokens;
    final ClientNames names;
    final LockInspector inspector;
    final EventPublisher events;
    final LeaseTable leases;
    final HandOver handOver;
    final PendingReleases releases;
    final WaitingRooms rooms;
    final Grace grace;
    final long longestLease;

    private final LockKeys keys;
    private final Background background;
    private final Ticker ticker;
    private final Records records;
    private volatile List<SelfCheck.Finding> findings = List.of();
    /** The protocols of locks with one name. Leases of one protocol are renewed together. */
    private final Map<LockKind, LockProtocol> protocols = new ConcurrentHashMap<>();

    /**
     * Opens a session, which connects in the background.
     *
     * @param holds the holds of all threads, kept over all sessions
     * @param counters the counters, kept over all sessions
     */
    public Session(
            ClientSettings settings,
            LockKeys keys,
            RedisGateway.Opener redis,
            ThreadHolds<HeldLease> holds,
            Counters counters) {
        this.settings = settings;
        this.holds = holds;
        this.keys = keys;
        this.ticker = settings.ticker();
        this.background = settings.background();
        this.owners = new OwnerId.Source(background);
        this.timer = timer("holdfast-timer");
        this.gateway = opened(redis, settings, timer);
        this.events = new EventPublisher(
                settings.listeners(), counters, new LossLog(timer, ticker, redis.lossLevel()), background);
        this.leases = new LeaseTable(timer("holdfast-watchdog"), events, counters, ticker);
        redis.started(leases, events);
        this.rooms = new WaitingRooms(
                timer, ticker, settings.pollNanos(), counters, background.roomSteps(), background::random);
        this.tokens = new FencingTokens(gateway, keys, settings.minReplicas());
        this.handOver = new HandOver(settings, holds, tokens);
        this.releases = new PendingReleases(timer, ticker, gateway, events, tokens, handOver);
        this.names = new ClientNames(
                gateway,
                keys,
                timer,
                owners.client(),
                settings.clientName(),
                settings.clientNameLifetime(),
                () -> rooms.waiters() > 0 || leases.held().findAny().isPresent());
        this.inspector = new LockInspector(gateway, keys, names);
        this.grace = Grace.of(settings.failoverGrace(), settings.watchdogTimeout(), background, ticker);
        this.longestLease = grace.longestLeaseNanos();
        this.records = new Records(gateway, keys, timer, ticker, grace);
        if (grace.isOn()) {
            NodeGraces nodes = new NodeGraces(gateway, keys, background, grace);
            leases.assertHolds(grace, gateway::interruptions, () -> {
                records.assertAll();
                nodes.begin();
            });
        }
        if (settings.checksAtStart()) {
            gateway.firstConnected().thenCompose(connected -> selfCheck()).whenComplete(SelfChecker::log);
        }
    }

    /** An application's Redis client may not exist yet. The next use then tries again, with another timer. */
    private static RedisGateway opened(RedisGateway.Opener redis, ClientSettings settings, Timer begun) {
        try {
            return redis.open(settings.connection(), begun, settings.ticker());
        } catch (RuntimeException | Error refused) {
            begun.close();
            throw refused;
        }
    }

    private Timer timer(String name) {
        return settings.scheduler() == null
                ? Timer.onThread(name, background)
                : Timer.on(settings.scheduler(), settings.ticker());
    }

    /**
     * Returns the protocol of a lock.
     *
     * @param several the keys of a lock with several names, which share a slot; empty for a lock with one name
     */
    LockProtocol protocol(LockKind kind, List<String> several) {
        return several.isEmpty()
                ? protocols.computeIfAbsent(kind, one -> newProtocol(one, several, grace))
                : newProtocol(kind, several, grace);
    }

    private LockProtocol newProtocol(LockKind kind, List<String> several, Grace withGrace) {
        return new LockProtocol(
                kind, several, gateway, keys, settings.minReplicas(), settings.writersFirst(), withGrace);
    }

    // --- What the client shows

    public CompletionStage<SelfCheck> selfCheck() {
        SelfChecker checker = new SelfChecker(
                gateway,
                names,
                owners,
                keys,
                newProtocol(LockKind.REENTRANT, List.of(), Grace.OFF),
                timer,
                background,
                grace,
                settings.connection().firstConnectTimeout());
        CompletionStage<SelfCheck> answer = checker.check().whenComplete((check, failure) -> {
            if (check != null) {
                findings = check.findings();
            }
        });
        return CallbackThreads.view(answer, settings.callbacks());
    }

    /** Returns how many findings of this severity the latest self-check had. */
    private int findings(SelfCheck.Severity severity) {
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

    /** Returns the reader of locks' states. */
    public LockInspector inspector() {
        return inspector;
    }

    public FoundLocks find(String pattern, ToIntFunction<String> waitersHere) {
        return new LockFinder(inspector, background, ticker, waitersHere, pattern).find();
    }

    /** Returns the number of this client's waiters for the given locks. */
    public int waitersHere(Predicate<LockId> locks) {
        return rooms.waiters(locks);
    }

    public List<WaitingLock> waitingLocks(int most) {
        return rooms.waiting(most);
    }

    public Records records() {
        return records;
    }

    public void tell(LockEvent event) {
        events.tell(event);
    }

    /** Returns statistics. Without a session, nothing is held, and nobody waits. */
    public static LockStatistics statistics(Counters counters, @Nullable Session now) {
        return new LockStatistics(
                counters.acquired.sum(),
                counters.busy.sum(),
                counters.unavailable.sum(),
                counters.notYet.sum(),
                counters.lost.sum(),
                counters.handedOver.sum(),
                counters.wokenBySignal.sum(),
                counters.wokenByPoll.sum(),
                counters.takenBack.sum(),
                counters.renewed.sum(),
                counters.notRenewed.sum(),
                now == null ? 0 : (int) now.leases.held().count(),
                now == null ? 0 : now.rooms.waiters(),
                now == null ? Duration.ZERO : now.leases.renewalLag(),
                now == null ? 0 : now.findings(SelfCheck.Severity.ERROR),
                now == null ? 0 : now.findings(SelfCheck.Severity.WARNING));
    }

    public List<HeldLock> heldLocks() {
        Map<String, Integer> waiters = rooms.waitersByKey();
        return leases.held()
                .map(lease -> describe(lease, waiters.getOrDefault(lease.grant().key(), 0)))
                .toList();
    }

    private static HeldLock describe(HeldLease lease, int waiters) {
        return new HeldLock(
                lease.lockName(),
                lease.kind(),
                lease.fencingToken(),
                lease.held(),
                lease.remaining(),
                lease.isRenewed(),
                lease.terms().thread().getName(),
                waiters,
                AcquisitionSite.calls(lease.terms().site()));
    }

    // --- Closing

    public boolean isClosed() {
        return releases.isClosing();
    }

    /** Returns a future that completes when every release that is under way now has ended. */
    public CompletableFuture<Void> released() {
        return releases.allReleased();
    }

    public void close(long graceNanos) {
        if (!releases.close()) {
            return;
        }
        rooms.refuseEverybody();
        CompletableFuture<Void> decided = releases.decided();
        boolean interrupted = waitFor(decided.thenCompose(none -> leases.drained()), graceNanos);
        long retryEnd =
                background.nanoTime() + settings.connection().commandTimeout().toNanos();
        interrupted |= waitFor(decided, retryEnd - background.nanoTime());
        leases.held().forEach(lease -> lease.lose(LossCause.CLOSED));
        // A holder that has begun its release may not have sent it yet.
        interrupted |= waitFor(leases.drained(), retryEnd - background.nanoTime());
        interrupted |= waitFor(releases.allReleased(), retryEnd - background.nanoTime());
        interrupted |= waitFor(names.forget(), retryEnd - background.nanoTime());
        releases.abandon();
        records.close();
        try {
            timer.close();
            leases.close();
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

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.inspect.ClientNames;
import dev.holdfast.lock.internal.inspect.LockInspector;
import dev.holdfast.lock.internal.inspect.SelfChecker;
import dev.holdfast.lock.internal.lease.AcquisitionSite;
import dev.holdfast.lock.internal.lease.EventPublisher;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.lease.Watchdog;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.OwnerIds;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.RedisKind;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.waiting.WaitingRooms;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a client opens at a start and closes for good, and what all its locks share: connections, threads, waiters, leases. The next start opens
 * another.
 */
public record OpenClient(
        ClientSettings settings,
        RedisGateway gateway,
        WaitingRooms rooms,
        GrantMessages messages,
        Watchdog watchdog,
        EventPublisher events,
        PendingReleases releases,
        HeldGrants heldGrants,
        ThreadHolds<HeldLease> holds,
        OwnerIds owners,
        ClientNames names,
        LockInspector inspector,
        Timer timer,
        Ticker ticker,
        AtomicLong highestToken,
        TokenMinimum tokenMinimum,
        AtomicBoolean closed,
        LockKeys keys,
        Map<LockKind, RedisKind> kinds) {

    public RedisKind kind(LockKind kind) {
        return Objects.requireNonNull(kinds.get(kind));
    }

    public CompletionStage<SelfCheck> selfCheck() {
        SelfChecker checker = new SelfChecker(
                gateway,
                names,
                owners,
                keys,
                kind(LockKind.REENTRANT).protocol(),
                timer,
                settings.connection().firstConnectTimeout());
        return events.onCallerSide(checker.check());
    }

    public CompletionStage<Void> connected() {
        return events.onCallerSide(gateway.firstConnected()
                .exceptionallyCompose(
                        closed -> CompletableFuture.failedFuture(RedisFailures.unavailable("connected", closed))));
    }

    public CompletableFuture<Void> raiseTokens(String name, String key, long token) {
        return tokenMinimum.raise(name, key, token);
    }

    public CompletableFuture<Boolean> forceRelease(String key) {
        return inspector.forceRelease(key, kind(LockKind.REENTRANT).protocol().channel(key));
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
        boolean interrupted = waitFor(watchdog.drained(), graceNanos);
        long patienceEnd =
                System.nanoTime() + settings.connection().commandTimeout().toNanos();
        interrupted |= waitFor(releases.arrived(), patienceEnd - System.nanoTime());
        watchdog.held().forEach(lease -> lease.lose(LossCause.CLOSED));
        interrupted |= waitFor(releases.settled(), patienceEnd - System.nanoTime());
        interrupted |= waitFor(names.forget(), patienceEnd - System.nanoTime());
        releases.abandon();
        try {
            messages.close();
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

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.internal.inspect.SelfChecker;
import dev.holdfast.lock.internal.lease.AcquisitionSite;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.RedisKind;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** What a client opens at a start and closes for good: connections, threads, waiters, leases. The next start opens another. */
public final class OpenClient {

    private final ClientParts parts;
    private final Map<LockKind, RedisKind> kinds;
    private final LockKeys keys;
    private final AtomicBoolean closing = new AtomicBoolean();

    public OpenClient(ClientParts parts, LockKeys keys, Map<LockKind, RedisKind> kinds) {
        this.parts = parts;
        this.kinds = kinds;
        this.keys = keys;
    }

    public ClientParts parts() {
        return parts;
    }

    public RedisKind kind(LockKind kind) {
        return Objects.requireNonNull(kinds.get(kind));
    }

    public CompletionStage<SelfCheck> selfCheck() {
        SelfChecker checker = new SelfChecker(
                parts.gateway(),
                parts.names(),
                parts.owners(),
                keys,
                kind(LockKind.REENTRANT).protocol(),
                parts.timer(),
                parts.settings().connection().firstConnectTimeout());
        return parts.events().onCallerSide(checker.check());
    }

    public CompletionStage<Void> connected() {
        return parts.events()
                .onCallerSide(parts.gateway()
                        .firstConnected()
                        .exceptionallyCompose(closed ->
                                CompletableFuture.failedFuture(RedisFailures.unavailable("connected", closed))));
    }

    public CompletableFuture<Void> raiseTokens(String name, String key, long token) {
        return parts.tokenMinimum().raise(name, key, token);
    }

    public CompletableFuture<Boolean> forceRelease(String key) {
        return parts.inspector()
                .forceRelease(key, kind(LockKind.REENTRANT).protocol().channel(key));
    }

    public int waitersHere(String key) {
        return parts.rooms().waiters(lock -> lock.key().equals(key));
    }

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

    public boolean isClosed() {
        return parts.closed().get();
    }

    public void close(long graceNanos) {
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
            parts.messages().close();
            parts.timer().close();
            parts.watchdog().close();
            parts.gateway().close();
            parts.events().close();
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

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.thread.Acquisition;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A waiter for one lock, and what its caller is told: who holds the lock if it is busy to the end, or why it is unavailable. */
final class LockAcquisition extends Acquisition<HeldLease> {

    private final LockEngine lock;
    private final Waiter waiter;
    private final Duration wait;

    LockAcquisition(LockEngine lock, Waiter waiter, Duration wait) {
        this.lock = lock;
        this.waiter = waiter;
        this.wait = wait;
    }

    @Override
    protected CompletableFuture<Optional<HeldLease>> outcome() {
        return waiter.result();
    }

    @Override
    protected boolean giveUp() {
        boolean left = waiter.result().cancel(false);
        if (left) {
            lock.client.rooms.left(lock.room(waiter), waiter);
        }
        return left;
    }

    @Override
    protected String lockName() {
        return lock.name;
    }

    /** With the name that this caller used: the waiters of a room may use several. */
    @Override
    protected RuntimeException failure(@Nullable Throwable thrown) {
        return isClosed() ? RedisFailures.closed(lock.name) : RedisFailures.anew(lock.name, thrown);
    }

    @Override
    protected Throwable asyncFailure(Throwable thrown) {
        return isClosed() ? failure(thrown) : thrown;
    }

    private boolean isClosed() {
        return lock.client.closed.get();
    }

    /** Looked up within the command timeout that every wait may take longer; empty where it is not known by then. */
    @Override
    protected CompletableFuture<Optional<LockState>> presentState() {
        OpenClient client = lock.client;
        long waited = client.ticker.now() - waiter.since();
        long late = Math.max(0, waited - Math.max(0, LeaseTerms.nanos("wait", wait)));
        long left = client.settings.connection().commandTimeout().toNanos() - late;
        if (left <= 0 || isClosed()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        CompletableFuture<Optional<LockState>> found = client.inspector
                .inspectWithNames(lock.name, takenKey(), client.rooms.waiters(lock.id))
                .exceptionally(failure -> Optional.empty());
        Timer.Timeout overdue = client.timer.after(left, () -> found.complete(Optional.empty()));
        found.whenComplete((state, failure) -> overdue.cancel());
        return found;
    }

    /** Several names that are one lock have no key of their own: Redis said which of theirs is taken. */
    private String takenKey() {
        Busy busy = lastRefusal();
        return busy == null || busy.takenKey() == null ? lock.key() : busy.takenKey();
    }

    private @Nullable Busy lastRefusal() {
        return waiter.lastAnswer() instanceof Busy busy ? busy : null;
    }

    @Override
    protected LockException busy(Optional<LockState> found) {
        if (found.isPresent()) {
            return new LockNotAcquiredException(lock.name, wait, found.get());
        }
        Busy busy = lastRefusal();
        Duration left = busy == null || busy.holder() == null || busy.retryAfterNanos() == Long.MAX_VALUE
                ? null
                : Duration.ofMillis(busy.retryAfterNanos() / 1_000_000);
        return new LockNotAcquiredException(lock.name, wait, busy == null ? null : busy.holder(), left);
    }
}

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Tells a caller that could not acquire a lock who holds it. */
final class BusyReport {

    private final NamedLock lock;
    private final Waiter waiter;
    private final Duration wait;

    BusyReport(NamedLock lock, Waiter waiter, Duration wait) {
        this.lock = lock;
        this.waiter = waiter;
        this.wait = wait;
    }

    /** The current holder. Looked up within the command timeout that every wait may take longer; empty where it is not known by then. */
    CompletableFuture<Optional<LockState>> presentState() {
        ClientParts parts = lock.parts();
        long waited = parts.ticker().now() - waiter.since();
        long late = Math.max(0, waited - Math.max(0, LeaseTerms.nanos("wait", wait)));
        long left = parts.settings().connection().commandTimeout().toNanos() - late;
        if (left <= 0 || parts.closed().get()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        CompletableFuture<Optional<LockState>> found = parts.inspector()
                .inspectWithNames(lock.name(), takenKey(), parts.rooms().waiters(lock.id()))
                .exceptionally(failure -> Optional.empty());
        Timer.Timeout overdue = parts.timer().after(left, () -> found.complete(Optional.empty()));
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

    /** What to throw, on the caller's own thread for the sake of its stack. */
    LockException exception(Optional<LockState> found) {
        if (found.isPresent()) {
            return new LockNotAcquiredException(lock.name(), wait, found.get());
        }
        Busy busy = lastRefusal();
        Duration left = busy == null || busy.holder() == null || busy.retryAfterNanos() == Long.MAX_VALUE
                ? null
                : Duration.ofMillis(busy.retryAfterNanos() / 1_000_000);
        return new LockNotAcquiredException(lock.name(), wait, busy == null ? null : busy.holder(), left);
    }
}

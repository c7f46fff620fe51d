package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What those are told who waited in vain: who was in the way. */
final class Refusals {

    private final String lockName;
    private final GrantDesk desk;
    private final Entrance entrance;
    private final ClientParts parts;

    Refusals(String lockName, GrantDesk desk, Entrance entrance, ClientParts parts) {
        this.lockName = lockName;
        this.desk = desk;
        this.entrance = entrance;
        this.parts = parts;
    }

    /**
     * Who is in the way. Looked up only where somebody is about to be told, and within the command timeout that every wait may take longer;
     * where it cannot be had in time, the answer is "busy" all the same.
     */
    CompletableFuture<Optional<LockState>> presentState(Waiter waiter, Duration wait) {
        long late = Math.max(0, entrance.waitedSoFar(waiter) - Math.max(0, Acquisition.nanos("wait", wait)));
        long left = parts.settings().connection().commandTimeout().toNanos() - late;
        if (left <= 0 || parts.closed().get()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        CompletableFuture<Optional<LockState>> found = parts.holders()
                .find(lockName, keyInTheWay(waiter), parts.rooms().waiters(desk.roomKey()))
                .exceptionally(failure -> Optional.empty());
        Timer.Timeout overdue = parts.timer().after(left, () -> found.complete(Optional.empty()));
        found.whenComplete((state, failure) -> overdue.cancel());
        return found;
    }

    /** Several names that are one lock have no key of their own: Redis said which of theirs is taken. */
    private String keyInTheWay(Waiter waiter) {
        return waiter.lastAnswer() instanceof Busy busy && busy.which() != null ? busy.which() : desk.key();
    }

    /** What to throw, on the caller's own thread for the sake of its stack. */
    LockException notAcquired(Waiter waiter, Duration wait, Optional<LockState> found) {
        if (found.isPresent()) {
            return new LockNotAcquiredException(lockName, wait, found.get());
        }
        Busy busy = waiter.lastAnswer() instanceof Busy last ? last : null;
        Duration left = busy == null || busy.holder() == null || busy.retryAfterNanos() == Long.MAX_VALUE
                ? null
                : Duration.ofMillis(busy.retryAfterNanos() / 1_000_000);
        return new LockNotAcquiredException(lockName, wait, busy == null ? null : busy.holder(), left);
    }
}

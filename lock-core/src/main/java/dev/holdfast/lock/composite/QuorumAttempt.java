package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.composite.QuorumRound.Refusal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition on a majority of servers, in rounds. Between two rounds nothing is held, and the attempt waits for the first server that was
 * busy. All refused attempts wait for the same one, so one of them continues with a grant. If no server was busy, or the votes were split, it
 * pauses for a random time instead.
 */
final class QuorumAttempt extends CompositeAttempt {

    /** The longest wait for the first busy server before all are asked again: its holder may hold no other server. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long SHORTEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long TRIAL_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final QuorumLock lock;

    QuorumAttempt(QuorumLock lock, AcquireOptions options, Deadline deadline) {
        super(options, deadline);
        this.lock = lock;
    }

    @Override
    void start() {
        round(-1, null, Duration.ZERO);
    }

    private void round(int had, @Nullable Lease first, Duration patience) {
        if (outcome.isDone()) {
            if (first != null) {
                MemberReleases.of(List.of(first));
            }
            return;
        }
        QuorumRound round = new QuorumRound(lock, options, interruptedOnLoss);
        round.won().thenAccept(this::complete);
        round.lost().thenAccept(refusal -> refused(refusal, first != null));
        round.ask(had, first, patience);
    }

    private void refused(Refusal refusal, boolean votesSplit) {
        if (deadline.isOver() || refusal.impatient() > lock.locks().size() - lock.needed()) {
            outcome.completeExceptionally(failure(refusal));
        } else if (refusal.firstBusy() < 0 || votesSplit) {
            pause(refusal);
        } else {
            waitFor(refusal);
        }
    }

    private void pause(Refusal refusal) {
        long nanos = Math.min(deadline.leftNanos(), random(20, 120));
        Steps.after(nanos, () -> {
            if (deadline.isOver()) {
                outcome.completeExceptionally(failure(refusal));
            } else {
                // Where no majority could be asked they are to try for a while, which tells an outage from a refusal
                // for good.
                boolean down = isDown(refusal);
                round(-1, null, down ? Duration.ofNanos(Math.min(deadline.leftNanos(), TRIAL_NANOS)) : Duration.ZERO);
            }
        });
    }

    private boolean isDown(Refusal refusal) {
        return refusal.failures().size() > lock.locks().size() - lock.needed();
    }

    private static long random(int fromMillis, int toMillis) {
        return TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextInt(fromMillis, toMillis));
    }

    private void waitFor(Refusal refusal) {
        int place = refusal.firstBusy();
        long left = deadline.leftNanos();
        // Half of what is left, so that all are asked once more before the end.
        long slice = Math.min(left, Math.max(SHORTEST_WAIT_NANOS, Math.min(LONGEST_WAIT_NANOS, left / 2)));
        Steps.<Lease>when(ask(lock.locks().get(place), Duration.ofNanos(slice)), (lease, failure) -> {
            if (failure == null) {
                // The others were freed by the same release, a moment earlier or later.
                round(place, lease, Duration.ofNanos(Math.min(deadline.leftNanos(), random(20, 60))));
            } else if (outcome.isDone()) {
                return;
            } else if (deadline.isOver()) {
                outcome.completeExceptionally(failure(refusal));
            } else if (MemberReleases.unwrapped(failure) instanceof LockNotAcquiredException) {
                round(-1, null, Duration.ZERO);
            } else {
                pause(refusal);
            }
        });
    }

    /** Busy and down are different answers: down is when no majority could be asked. */
    private RuntimeException failure(Refusal refusal) {
        int size = lock.locks().size();
        LockNotAcquiredException busy = refusal.busy();
        RuntimeException whole;
        if (isDown(refusal)) {
            whole = new LockUnavailableException(
                    lock.name(),
                    "Lock '" + LogText.escape(lock.name()) + "' is unavailable: "
                            + refusal.failures().size() + " of its " + size + " servers could not be asked, "
                            + lock.needed() + " are needed",
                    refusal.failures().get(0));
        } else {
            whole = busy == null
                    ? new LockNotAcquiredException(lock.name(), deadline.asked(), null, null)
                    : new LockNotAcquiredException(lock.name(), deadline.asked(), busy);
        }
        refusal.failures().forEach(whole::addSuppressed);
        return whole;
    }
}

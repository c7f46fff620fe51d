package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.WrongLockKindException;
import dev.holdfast.lock.internal.thread.AbstractLease;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Acquires the lock on a majority of servers, in rounds. Between two rounds nothing is held, and the caller waits for the first server that was busy.
 * All refused callers wait for the same server, so one of them continues with a grant. If no server was busy, or the votes were split, the
 * acquisition pauses for a random time instead.
 */
final class QuorumAcquisition extends CompositeAcquisition {

    /**
     * The longest wait for the first busy server before all servers are asked again. A longer wait is useless if the holder on that server holds no
     * other server.
     */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long SHORTEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long TRIAL_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    final QuorumLock quorum;

    QuorumAcquisition(QuorumLock lock, AcquireOptions options, Duration wait) {
        super(lock, options, wait);
        this.quorum = lock;
    }

    @Override
    void start() {
        round(-1, null, 0);
    }

    private void round(int had, @Nullable AbstractLease first, long patienceNanos) {
        if (!isDone()) {
            new QuorumRound(this).ask(had, first, Math.min(leftNanos(), patienceNanos));
        } else if (first != null) {
            MemberReleases.of(List.of(first), 0);
        }
    }

    /** Called when a round is lost and its leases are released. */
    void lost(QuorumRound round) {
        if (isOver() || round.impatient > quorum.spare()) {
            fail(reason(round));
        } else if (round.busy.isEmpty() || round.beganWithOne) {
            pause(round);
        } else {
            waitFor(round);
        }
    }

    private void pause(QuorumRound round) {
        lock.steps.after(Math.min(leftNanos(), randomMillis(20, 120)), () -> {
            if (isOver()) {
                fail(reason(round));
            } else {
                // If no majority could be asked, gives the clients some time for the next round. A client that fails
                // before the end of this time is closed, or its server refuses permanently.
                round(-1, null, isDown(round) ? TRIAL_NANOS : 0);
            }
        });
    }

    private boolean isDown(QuorumRound round) {
        return round.failures.size() > quorum.spare();
    }

    private long randomMillis(int from, int to) {
        return TimeUnit.MILLISECONDS.toNanos((long) lock.background.random(from, to));
    }

    private void waitFor(QuorumRound round) {
        int place = round.busy.firstKey();
        long left = leftNanos();
        // Waits for at most half of the remaining time, so that all servers are asked once more before the end.
        long slice = Math.min(left, Math.max(SHORTEST_WAIT_NANOS, Math.min(LONGEST_WAIT_NANOS, left / 2)));
        await(quorum.members.get(place), slice, (lease, failure) -> {
            if (failure == null) {
                // One release frees all servers, but not at the same moment. So this round waits a short time for the
                // other servers.
                round(place, lease, randomMillis(20, 60));
            } else if (isOver()) {
                fail(reason(round));
            } else if (failure instanceof LockNotAcquiredException) {
                start();
            } else {
                pause(round);
            }
        });
    }

    /** Returns the failure of the whole lock. The lock is down if no majority could be asked; otherwise, it is busy. */
    private RuntimeException reason(QuorumRound round) {
        RuntimeException whole = isDown(round) ? down(round) : busy(round);
        round.failures.forEach(whole::addSuppressed);
        return whole;
    }

    private RuntimeException busy(QuorumRound round) {
        return refusal(round.busy.isEmpty() ? null : round.busy.get(round.busy.firstKey()));
    }

    private RuntimeException down(QuorumRound round) {
        return round.failures.stream()
                .filter(WrongLockKindException.class::isInstance)
                .map(WrongLockKindException.class::cast)
                .findFirst()
                .<RuntimeException>map(this::wrongKind)
                .orElseGet(() -> new LockUnavailableException(
                        lock.name(),
                        "Lock '" + LogText.escape(lock.name()) + "' is unavailable: "
                                + round.failures.size() + " of its " + quorum.members.size()
                                + " servers could not be asked, " + quorum.needed() + " are needed",
                        round.failures.get(0)));
    }
}

package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.thread.AbstractLease;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Acquires the missing parts of a majority's lease while the majority is held: parts that were not granted, and parts that were lost because a server
 * forgot them or did not answer. So a long hold survives servers that fail one after the other.
 *
 * <p>A part counts only after its server draws greater tokens than that of the whole lease, and only if the other parts were enough until then. What
 * this client believes of the other parts is not sufficient for that, because their servers may have forgotten them at about the same time. So a part
 * is only requested after the servers of enough other parts have confirmed them. If too many servers have forgotten theirs, this question shows it, and
 * the whole lease is lost.
 *
 * <p>All methods run on the thread of the {@link Members}.
 */
final class MissingParts {

    /** How often the missing parts are requested in the time that the whole lease is valid. A lease is renewed about as often. */
    private static final int TIMES_IN_A_LEASE = 3;

    /** The shortest pause between two requests. A share of the time left alone would become shorter and shorter as the whole lease ends. */
    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Members lock;
    /** The options of a request to a member. */
    private final AcquireOptions options;

    private final CompositeLease whole;
    /** The lost leases of the missing parts, or null for a part that was not granted, by the positions of their servers. */
    private final Map<Integer, @Nullable AbstractLease> missing = new HashMap<>();

    private @Nullable Future<?> next;

    MissingParts(Members lock, AcquireOptions options, CompositeLease whole) {
        this.lock = lock;
        this.options = options;
        this.whole = whole;
        whole.whenEnded(() -> lock.run(this::stop));
    }

    /** Watches a part. */
    void watch(int place, AbstractLease part) {
        part.loss().thenAccept(loss -> lock.run(() -> lost(place, part, loss)));
    }

    private void lost(int place, AbstractLease part, LeaseLoss loss) {
        if (loss.cause() == LossCause.GONE) {
            // The server answers, so it may grant the part at once.
            request(place, part);
        } else if (loss.cause() == LossCause.UNCONFIRMED) {
            add(place, part);
        }
    }

    /** Adds a part that a server has not granted, or has lost. */
    void add(int place, @Nullable AbstractLease lost) {
        if (whole.isHeld() && whole.isRenewed()) {
            missing.put(place, lost);
            if (next == null) {
                long pause = whole.remaining().toNanos() / TIMES_IN_A_LEASE;
                next = lock.after(Math.max(SHORTEST_PAUSE_NANOS, pause), this::requestAll);
            }
        }
    }

    private void requestAll() {
        next = null;
        Map<Integer, @Nullable AbstractLease> due = new HashMap<>(missing);
        missing.clear();
        due.forEach(this::request);
    }

    private void stop() {
        missing.clear();
        if (next != null) {
            next.cancel(false);
        }
    }

    private void request(int place, @Nullable AbstractLease lost) {
        if (!whole.isHeld() || !whole.isRenewed()) {
            return;
        }
        lock.ask(whole::confirm, (done, failure) -> {
            if (failure == null && whole.isHeld()) {
                requestConfirmed(place, lost);
            } else {
                add(place, lost);
            }
        });
    }

    private void requestConfirmed(int place, @Nullable AbstractLease lost) {
        AcquireOptions part =
                options.minHold(Duration.ofNanos(whole.keepNanos())).waitAtMost(Duration.ZERO);
        lock.ask(() -> lock.locks.get(place).acquireAsMember(part), (lease, failure) -> {
            if (failure == null) {
                granted(place, lost, lease);
            } else {
                refused(place, lost, failure);
            }
        });
    }

    /** Called when a server has refused a part. A refusal for good would be the same at the next request. */
    void refused(int place, @Nullable AbstractLease lost, Throwable reason) {
        if (reason instanceof LockNotAcquiredException
                || (reason instanceof LockUnavailableException down && down.isTransient())) {
            add(place, lost);
        }
    }

    /** Called when a server has granted a part to the lease that is held. */
    void granted(int place, @Nullable AbstractLease lost, AbstractLease lease) {
        if (lease.fencingToken() > whole.fencingToken()) {
            join(place, lost, lease);
            return;
        }
        lock.ask(() -> lock.locks.get(place).raiseTokens(whole.fencingToken()), (done, failure) -> {
            if (failure == null) {
                join(place, lost, lease);
            } else {
                MemberReleases.of(List.of(lease), 0);
                refused(place, lost, failure);
            }
        });
    }

    /** Adds a part whose server draws greater tokens than that of the whole lease. */
    void join(int place, @Nullable AbstractLease lost, AbstractLease lease) {
        if (whole.join(lost, lease)) {
            watch(place, lease);
        }
    }
}

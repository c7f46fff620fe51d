package dev.holdfast.lock.composite;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.internal.thread.AbstractLease;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request to all servers at once. It is won when a majority has granted the lock and knows the token, and lost as soon as so many have refused
 * that no majority is possible. A later grant joins the lease, or is released.
 *
 * <p>The token: two majorities share a server, but the greatest token of either may come from another one. So the tokens of the whole majority are
 * raised above it before the lease is granted, while it is held: every later majority has a server that draws a greater one.
 *
 * <p>Everything runs in {@link CompositeExecutor}, so it needs no monitor.
 */
final class QuorumRound {

    /** How long a lost round waits for its releases: a silent server must not delay the next round. */
    private static final long RELEASE_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final QuorumAcquisition acquisition;
    private final QuorumLock lock;
    private final Map<Integer, AbstractLease> held = new LinkedHashMap<>();
    private final List<AbstractLease> raised = new ArrayList<>();
    private boolean lost;
    private long trialEnd;
    /** The whole's, once a majority has granted it; 0 before. */
    private long token;

    private @Nullable CompositeLease whole;

    /** Whether one server had granted the lock before the others were asked. */
    boolean beganWithOne;

    /** What the busy servers said, by their places. */
    final SortedMap<Integer, LockNotAcquiredException> busy = new TreeMap<>();

    /** Those of the servers that could not be asked. */
    final List<Throwable> failures = new ArrayList<>();

    /** How many of these failed before their time to try was over: they are closed, or refuse for good. */
    int impatient;

    QuorumRound(QuorumAcquisition acquisition) {
        this.acquisition = acquisition;
        this.lock = acquisition.quorum;
    }

    /**
     * Asks all servers.
     *
     * @param had the place of a server that has granted the lock already, or -1
     * @param first its lease
     * @param patienceNanos how long to wait for a busy server
     */
    void ask(int had, @Nullable AbstractLease first, long patienceNanos) {
        trialEnd = lock.background.nanoTime() + patienceNanos;
        beganWithOne = first != null;
        for (int i = 0; i < lock.members.size(); i++) {
            int place = i;
            if (place == had && first != null) {
                granted(place, first);
                continue;
            }
            acquisition.ask(lock.members.get(place), patienceNanos, (lease, failure) -> {
                if (failure == null) {
                    granted(place, lease);
                } else {
                    refused(place, failure);
                }
            });
        }
    }

    private void granted(int place, AbstractLease lease) {
        if (lost) {
            MemberReleases.of(List.of(lease), 0);
        } else if (whole != null) {
            whole.join(lease);
        } else {
            held.put(place, lease);
            if (token > 0) {
                raise(place, lease);
            } else if (held.size() >= lock.needed()) {
                token = held.values().stream()
                        .mapToLong(AbstractLease::fencingToken)
                        .max()
                        .orElseThrow();
                held.forEach(this::raise);
            }
        }
    }

    private void raise(int place, AbstractLease lease) {
        if (lease.fencingToken() >= token) {
            raised(lease);
            return;
        }
        lock.steps.ask(() -> lock.members.get(place).raiseTokens(token), (done, failure) -> {
            if (failure == null) {
                raised(lease);
            } else {
                refused(place, failure);
            }
        });
    }

    private void raised(AbstractLease lease) {
        raised.add(lease);
        if (lost || whole != null || raised.size() < lock.needed()) {
            return;
        }
        if (raised.stream().filter(AbstractLease::isHeld).count() < lock.needed()) {
            // Over before a majority was complete. A server that was raised after its lease ended does not count.
            lose();
            return;
        }
        whole = new CompositeLease(acquisition, held.values(), lock.needed(), token).watched();
        acquisition.complete(whole);
    }

    private void refused(int place, Throwable reason) {
        if (lost || whole != null) {
            return;
        }
        if (reason instanceof LockNotAcquiredException answer) {
            busy.put(place, answer);
        } else {
            failures.add(reason);
            impatient += lock.background.nanoTime() - trialEnd < 0 ? 1 : 0;
        }
        if (busy.size() + failures.size() > lock.spare()) {
            lose();
        }
    }

    private void lose() {
        lost = true;
        MemberReleases.of(held.values(), 0)
                .whenSettled(lock.steps, RELEASE_TIMEOUT_NANOS, () -> acquisition.lost(this));
    }
}

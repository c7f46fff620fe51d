package dev.holdfast.lock.composite;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.internal.thread.AbstractLease;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request to all servers at once. The round is won when a majority has granted the lock and knows its token. It is lost as soon as so many
 * servers have refused or failed that no majority is possible. A lease that is granted later joins the whole lease if the round is won, and is
 * released if the round is lost.
 *
 * <p>Two majorities share at least one server, but the greatest token of a majority may come from a server that they do not share. So before the
 * lease is granted, the tokens of all servers of the majority are raised to the greatest one, while the lock is held on these servers. Every later
 * majority then has a server that draws a greater token.
 *
 * <p>All methods run in {@link CompositeExecutor}, so the fields need no lock.
 */
final class QuorumRound {

    /** The longest time that a lost round waits for its releases, so that a silent server does not delay the next round. */
    private static final long RELEASE_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final QuorumAcquisition acquisition;
    private final QuorumLock lock;
    private final Map<Integer, AbstractLease> held = new LinkedHashMap<>();
    private final List<AbstractLease> raised = new ArrayList<>();
    private boolean lost;
    private long trialEnd;
    /** The token of the whole lease after a majority has granted the lock, and 0 before. */
    private long token;

    private @Nullable CompositeLease whole;
    private @Nullable MissingParts missing;
    /** The positions of the servers that have refused or failed. */
    private final Set<Integer> without = new LinkedHashSet<>();

    /** Whether one server had already granted the lock before the other servers were asked. */
    boolean beganWithOne;

    /** The refusals of the busy servers, by the positions of these servers. */
    final SortedMap<Integer, LockNotAcquiredException> busy = new TreeMap<>();

    /** The failures of the servers that could not be asked. */
    final List<Throwable> failures = new ArrayList<>();

    /**
     * The number of failures that came before the end of the time given to the clients. These clients are closed, or their servers refuse
     * permanently.
     */
    int impatient;

    QuorumRound(QuorumAcquisition acquisition) {
        this.acquisition = acquisition;
        this.lock = acquisition.quorum;
    }

    /**
     * Requests a lease from all servers.
     *
     * @param had the position of a server that has already granted the lock, or -1
     * @param first the lease of that server, or null
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
            Objects.requireNonNull(missing).granted(place, null, lease);
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
            // At least one lease ended while the tokens of other servers were raised. Only servers whose leases are
            // still
            // held count.
            lose();
            return;
        }
        whole = new CompositeLease(acquisition, held.values(), lock.needed(), token).watched();
        missing = new MissingParts(acquisition, whole);
        held.forEach(missing::watch);
        without.removeAll(held.keySet());
        for (int place : without) {
            missing.add(place, null);
        }
        acquisition.acquired(whole);
    }

    private void refused(int place, Throwable reason) {
        if (lost) {
            return;
        }
        if (missing != null) {
            missing.add(place, null);
            return;
        }
        without.add(place);
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

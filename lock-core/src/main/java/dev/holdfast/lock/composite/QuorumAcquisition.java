package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockNotYetGrantedException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.WrongLockKindException;
import dev.holdfast.lock.internal.thread.AbstractLease;
import java.time.Duration;
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
import java.util.stream.Stream;
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

    QuorumAcquisition(Members lock, AcquireOptions options, Duration wait) {
        super(lock, options, wait);
    }

    @Override
    void start() {
        round(-1, null, 0);
    }

    private void round(int had, @Nullable AbstractLease first, long patienceNanos) {
        if (!isDone()) {
            new QuorumRound().ask(had, first, Math.min(leftNanos(), patienceNanos));
        } else if (first != null) {
            MemberReleases.of(List.of(first), 0);
        }
    }

    /** Called when a round is lost and its leases are released. */
    private void lost(QuorumRound round) {
        if (isOver() || round.impatient > lock.spare()) {
            fail(reason(round));
        } else if (round.busy.isEmpty() || round.beganWithOne) {
            pause(round);
        } else {
            waitFor(round);
        }
    }

    private void pause(QuorumRound round) {
        lock.after(Math.min(leftNanos(), randomMillis(20, 120)), () -> {
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
        return round.failures.size() > lock.spare();
    }

    private long randomMillis(int from, int to) {
        return TimeUnit.MILLISECONDS.toNanos((long) lock.background.random(from, to));
    }

    private void waitFor(QuorumRound round) {
        int place = round.busy.firstKey();
        long left = leftNanos();
        // Waits for at most half of the remaining time, so that all servers are asked once more before the end.
        long slice = Math.min(left, Math.max(SHORTEST_WAIT_NANOS, Math.min(LONGEST_WAIT_NANOS, left / 2)));
        await(lock.locks.get(place), slice, (lease, failure) -> {
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

    /** The failures that callers must know of decide: while one server does not grant yet, its holders may have the lock. */
    private RuntimeException down(QuorumRound round) {
        return Stream.of(WrongLockKindException.class, LockNotYetGrantedException.class)
                .flatMap(type -> round.failures.stream().filter(type::isInstance))
                .map(LockException.class::cast)
                .findFirst()
                .<RuntimeException>map(this::whole)
                .orElseGet(() -> new LockUnavailableException(
                        lock.name,
                        "Lock '" + LogText.escape(lock.name) + "' is unavailable: "
                                + round.failures.size() + " of its " + lock.locks.size()
                                + " servers could not be asked, " + lock.majority() + " are needed",
                        round.failures.get(0)));
    }

    /**
     * One request to all servers at once. The round is won when a majority has granted the lock and knows its token. It is lost as soon as so many
     * servers have refused or failed that no majority is possible. A lease that is granted later joins the whole lease if the round is won, and is
     * released if the round is lost.
     *
     * <p>Two majorities share at least one server, but the greatest token of a majority may come from a server that they do not share. So before the
     * lease is granted, the tokens of all servers of the majority are raised to the greatest one, while the lock is held on these servers. Every later
     * majority then has a server that draws a greater token. The token is greater than those before only while this client holds every server from which
     * it was chosen. If one of them is given back, another client can have had the lock with a greater token, so the token is chosen again.
     *
     * <p>All methods run on the thread of the {@link Members}, so the fields need no lock.
     */
    private final class QuorumRound {

        /** The longest time that a lost round waits for its releases, so that a silent server does not delay the next round. */
        private static final long RELEASE_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

        private final Map<Integer, AbstractLease> held = new LinkedHashMap<>();
        /** The leases of the servers that draw greater tokens than that of the whole lease. Only these count. */
        private final Map<Integer, AbstractLease> raised = new LinkedHashMap<>();

        private boolean lost;
        private long trialEnd;
        /** The token of the whole lease after a majority has granted the lock, and 0 before. */
        private long token;

        /** The leases from which the token was chosen. */
        private List<AbstractLease> chosenFrom = List.of();

        private @Nullable CompositeLease whole;
        private @Nullable MissingParts missing;
        /** The positions of the servers that have refused or failed. */
        private final Set<Integer> without = new LinkedHashSet<>();

        /** Whether one server had already granted the lock before the other servers were asked. */
        private boolean beganWithOne;

        /** The refusals of the busy servers, by the positions of these servers. */
        private final SortedMap<Integer, LockNotAcquiredException> busy = new TreeMap<>();

        /** The failures of the servers that could not be asked. */
        private final List<Throwable> failures = new ArrayList<>();

        /**
         * The number of failures that came before the end of the time given to the clients. These clients are closed, or their servers refuse
         * permanently.
         */
        private int impatient;

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
            for (int i = 0; i < lock.locks.size(); i++) {
                int place = i;
                if (place == had && first != null) {
                    granted(place, first);
                    continue;
                }
                QuorumAcquisition.this.ask(lock.locks.get(place), patienceNanos, (lease, failure) -> {
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
                } else {
                    chooseToken();
                }
            }
        }

        private void chooseToken() {
            if (held.size() >= lock.majority()) {
                chosenFrom = List.copyOf(held.values());
                token = held.values().stream()
                        .mapToLong(AbstractLease::fencingToken)
                        .max()
                        .orElseThrow();
                held.forEach(this::raise);
            }
        }

        private void raise(int place, AbstractLease lease) {
            if (lease.fencingToken() >= token) {
                raised(place, lease);
                return;
            }
            long chosen = token;
            lock.ask(() -> lock.locks.get(place).raiseTokens(chosen), (done, failure) -> {
                if (failure != null) {
                    notRaised(place, lease, failure);
                } else if (chosen == token && held.get(place) == lease) {
                    raised(place, lease);
                }
            });
        }

        private void notRaised(int place, AbstractLease lease, Throwable failure) {
            if (held.remove(place, lease)) {
                MemberReleases.of(List.of(lease), 0);
                refused(place, failure);
                if (!lost && missing == null && chosenFrom.contains(lease)) {
                    token = 0;
                    raised.clear();
                    chooseToken();
                }
            }
        }

        private void raised(int place, AbstractLease lease) {
            if (raised.put(place, lease) == lease) {
                // The token was chosen again, and is the same.
                return;
            }
            if (missing != null) {
                missing.join(place, null, lease);
                return;
            }
            if (lost || raised.size() < lock.majority()) {
                return;
            }
            if (raised.values().stream().filter(AbstractLease::isHeld).count() < lock.majority()
                    || !chosenFrom.stream().allMatch(AbstractLease::isHeld)) {
                // At least one lease ended while the tokens of other servers were raised. Only servers whose leases are
                // still held count.
                lose();
                return;
            }
            whole = lease(raised.values(), lock.majority(), token);
            missing = new MissingParts(lock, partOptions(), whole);
            raised.forEach(missing::watch);
            without.removeAll(held.keySet());
            for (int other : without) {
                missing.add(other, null);
            }
            acquired(whole);
        }

        private void refused(int place, Throwable reason) {
            if (lost) {
                return;
            }
            if (missing != null) {
                missing.refused(place, null, reason);
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
            MemberReleases.of(held.values(), 0).whenSettled(lock, RELEASE_TIMEOUT_NANOS, () -> lost(this));
        }
    }
}

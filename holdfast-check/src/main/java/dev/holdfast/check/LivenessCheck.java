package dev.holdfast.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks how long a lock is free although a caller waits for it and no fault hinders that caller. A lock that may still be held in Redis counts as
 * held. This applies for one lease if its holder was killed, lost the lock, or was granted it without receiving the answer.
 */
final class LivenessCheck {

    /** A pause between two waiters that is not longer than this does not end the wait, because waiters come and go. */
    private static final long HOLE = 20_000_000;

    /** Shorter stalls are ignored. They are frequent on a busy machine, and would cut one wait into many short ones. */
    private static final long LONG_STALL = 50_000_000;

    /** The time in which a client connects again after a fault has cut its connections. */
    private static final long RECOVERY = 700_000_000;

    /** A change in the numbers of holders and waiters, and its time. */
    private record Step(long at, int holders, int waiters) {}

    private final History history;
    private final Starts starts;
    private final Terms terms;
    private final Findings findings;
    private final List<TreeMap<Long, Outage>> hindrances = new ArrayList<>();

    LivenessCheck(History history, Starts starts, Terms terms, int workers, Findings findings) {
        this.history = history;
        this.starts = starts;
        this.terms = terms;
        this.findings = findings;
        for (int i = 0; i < workers; i++) {
            int worker = i;
            List<Outage> times = new ArrayList<>();
            history.outages().stream()
                    .filter(each -> each.strikes(worker) && hinders(each))
                    .forEach(each -> times.add(longer(each)));
            history.stalls().stream()
                    .filter(each -> each.strikes(worker) && each.until() - each.from() > LONG_STALL)
                    .forEach(times::add);
            TreeMap<Long, Outage> byStart = new TreeMap<>();
            Quiet.merged(times).forEach(each -> byStart.put(each.from(), each));
            hindrances.add(byStart);
        }
    }

    /**
     * Returns whether a fault hinders callers. A moment in which Redis loses data does not stop a caller from waiting, and must not cut its wait in
     * two.
     */
    private static boolean hinders(Outage outage) {
        return outage.cutsConnections() || outage.until() - outage.from() > HOLE;
    }

    private static Outage longer(Outage outage) {
        long until = outage.until() + (outage.cutsConnections() ? RECOVERY : 0);
        return new Outage(outage.fault(), outage.worker(), outage.from(), until);
    }

    void check() {
        Map<String, List<Step>> steps = new HashMap<>();
        long end = history.attempts().stream()
                .mapToLong(each -> Math.max(each.answeredAt, each.releasedAt))
                .max()
                .orElse(0);
        for (Attempt attempt : history.attempts()) {
            for (String lock : attempt.locks) {
                List<Step> of = steps.computeIfAbsent(lock, key -> new ArrayList<>());
                holding(attempt, end, of);
                waiting(attempt, of);
            }
        }
        steps.forEach(this::sweep);
    }

    private void holding(Attempt attempt, long end, List<Step> steps) {
        if (attempt.isGranted()) {
            long until = attempt.ending == Ending.RELEASED ? attempt.releasedAt : leftBehind(attempt, end);
            interval(attempt.answeredAt, until, 1, 0, steps);
        } else if (attempt.ending == Ending.UNKNOWN) {
            interval(attempt.askedAt, leftBehind(attempt, end), 1, 0, steps);
        } else if (attempt.ending != Ending.BUSY && isHindered(attempt)) {
            interval(attempt.askedAt, attempt.answeredAt + terms.leaseNanos(), 1, 0, steps);
        }
    }

    private long leftBehind(Attempt attempt, long end) {
        if (attempt.ending == Ending.UNKNOWN) {
            Map.Entry<Long, Outage> killed = hindrances.get(attempt.worker).ceilingEntry(attempt.askedAt);
            return killed == null ? end : killed.getValue().until() + terms.leaseNanos();
        }
        return Math.max(attempt.releasedAt, Math.max(attempt.heldAt, attempt.goneAt)) + terms.leaseNanos();
    }

    private boolean isHindered(Attempt attempt) {
        Map.Entry<Long, Outage> last = hindrances.get(attempt.worker).floorEntry(attempt.answeredAt);
        return last != null && last.getValue().until() > attempt.askedAt;
    }

    /** Adds the parts of a wait in which nothing hinders the caller's process. */
    private void waiting(Attempt attempt, List<Step> steps) {
        if (attempt.answeredAt == 0 || attempt.use == Use.SEVERAL) {
            return;
        }
        TreeMap<Long, Outage> hindering = hindrances.get(attempt.worker);
        long from = Math.max(attempt.askedAt, starts.of(attempt));
        Map.Entry<Long, Outage> before = hindering.floorEntry(from);
        if (before != null) {
            from = Math.max(from, before.getValue().until());
        }
        if (from >= attempt.answeredAt) {
            return;
        }
        for (Outage outage : hindering.subMap(from, attempt.answeredAt).values()) {
            interval(from, outage.from(), 0, 1, steps);
            from = outage.until();
        }
        interval(from, attempt.answeredAt + HOLE, 0, 1, steps);
    }

    private static void interval(long from, long until, int holders, int waiters, List<Step> steps) {
        if (from < until) {
            steps.add(new Step(from, holders, waiters));
            steps.add(new Step(until, -holders, -waiters));
        }
    }

    private void sweep(String lock, List<Step> steps) {
        steps.sort(Comparator.comparingLong(Step::at));
        int holders = 0;
        int waiters = 0;
        long since = 0;
        for (Step step : steps) {
            boolean idle = holders == 0 && waiters > 0;
            holders += step.holders();
            waiters += step.waiters();
            if (idle && (holders > 0 || waiters == 0)) {
                idled(lock, since, step.at());
            } else if (!idle && holders == 0 && waiters > 0) {
                since = step.at();
            }
        }
    }

    private void idled(String lock, long from, long until) {
        findings.measured(Rule.FREE_LOCK_GRANTED, until - from, lock);
        if (until - from > terms.freeBoundNanos()) {
            findings.broken(Rule.FREE_LOCK_GRANTED, lock + " for " + (until - from) / 1_000_000 + " ms from " + from);
        }
    }
}

package dev.holdfast.lock.simulation;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockNotYetGrantedException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.simulation.Plan.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tracks which callers wait and which hold locks, according to the answers that they received, and checks each answer against docs/guarantees.md.
 * Delegates some of these checks.
 */
final class Checks {

    /** The longest round trip of a calm network. */
    private static final long QUICK = TimeUnit.MILLISECONDS.toNanos(70);

    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(20);

    /** By which share of a time a client's clock may be wrong at most. */
    private static final int LARGEST_DRIFT = 5_000;

    private static final int FEW = 3_000;
    private static final int MOST_INVALID = 2;
    private static final int MOST_FOR_EACH = 300;

    private final World world;
    private final Plan plan;
    final Trouble trouble;
    final List<Hold> holds = new ArrayList<>();
    final List<Wait> waits = new ArrayList<>();
    private final GrantChecks grants;
    private final TokenChecks tokens;
    private final OrderChecks order;
    private final LeaseChecks leases;
    final LeaderChecks leaders;
    final RecordChecks records;
    final StopChecks stops;
    /** For each name, the last number that was drawn before the lock was released by force. */
    private final Map<String, Long> forcedUpTo = new HashMap<>();
    /** The time at which a name was last released by force. */
    private final Map<String, Long> forcedAt = new HashMap<>();
    /** For each name, the last time at which a caller left the queue, and no other caller of its client waited there. */
    private final Map<String, Long> lastDeparture = new HashMap<>();

    private final Map<String, Long> lastGrant = new HashMap<>();
    private final Map<String, Long> lastLoss = new HashMap<>();
    /**
     * For each name, the time until which a minimum hold may last. Redis reports this time only to one of the waiting places, and that place may
     * leave.
     */
    final Map<String, Long> keptUntil = new HashMap<>();

    private @Nullable Violation violation;
    private boolean over;
    private int invalid;
    final Counts counts = new Counts();
    /** What callers do at the next release by any of them. */
    final List<Runnable> onNextRelease = new ArrayList<>();

    Checks(World world, Plan plan, Trouble trouble) {
        this.world = world;
        this.plan = plan;
        this.trouble = trouble;
        this.grants = new GrantChecks(world, this);
        this.tokens = new TokenChecks(plan.profile(), this);
        this.order = new OrderChecks(world, plan, this);
        this.leases = new LeaseChecks(world, plan.profile(), this);
        this.leaders = new LeaderChecks(world, plan.profile(), this);
        this.records = new RecordChecks(plan.profile(), this);
        this.stops = new StopChecks(world, this);
    }

    @Nullable
    Violation violation() {
        return violation;
    }

    boolean isOver() {
        return over;
    }

    long now() {
        return world.now();
    }

    /** Ends the run: no caller begins another step. */
    void end() {
        over = true;
    }

    void fail(String promise, LockSpec lock, String what) {
        fail(promise, lock.label() + " " + what);
    }

    void fail(String promise, String what) {
        if (violation == null) {
            violation = new Violation(world.now(), promise, what);
            world.history.add(world.now(), "checks", "VIOLATION " + promise, what, 0);
        }
    }

    private void note(String who, String what, LockSpec lock, long number) {
        world.history.add(world.now(), who, what, lock.label(), number);
    }

    Wait asked(Step step, Instance instance, String caller) {
        Wait wait =
                new Wait(step.lock(), instance, caller, world.now(), TimeUnit.MILLISECONDS.toNanos(step.waitMillis()));
        wait.minHoldNanos = TimeUnit.MILLISECONDS.toNanos(step.minHoldMillis());
        wait.leaseNanos = TimeUnit.MILLISECONDS.toNanos(step.leaseMillis());
        waits.add(wait);
        note(caller, "asks, waits " + step.waitMillis() + " ms for", step.lock(), 0);
        counts.asked++;
        world.plan(world.self, wait.waitNanos + budget(wait), () -> checkBudget(wait));
        return wait;
    }

    /** Returns the time by which a call may exceed its wait time. A composite lock sends several requests, one after the other. */
    private static long budget(Wait wait) {
        int times = wait.lock.kind().isComposite() ? 4 : 1;
        return times * wait.instance.longestAnswerNanos() + SLACK;
    }

    private void checkBudget(Wait wait) {
        if (!wait.ended && !wait.canceled && Trouble.ranSince(wait.process, wait.since) && !wait.instance.isClosing) {
            fail(
                    "a wait time includes everything",
                    wait.lock,
                    wait.caller + " was not answered " + (world.now() - wait.since - wait.waitNanos) / 1_000_000
                            + " ms after its wait time");
        }
    }

    private void end(Wait wait) {
        if (wait.ended) {
            fail("a call is answered once", wait.lock, wait.caller);
        }
        wait.ended = true;
        waits.remove(wait);
        order.left(wait);
    }

    /** Ends a call whose lease was lost before it returned. */
    void lostAtOnce(Wait wait) {
        end(wait);
        note(wait.caller, "loses at once", wait.lock, 0);
    }

    private void departed(Wait wait) {
        boolean isLast = waits.stream()
                .noneMatch(other -> other.instance == wait.instance && other.lock.sharesNameWith(wait.lock));
        if (isLast && wait.waitNanos > 0) {
            wait.lock.names().forEach(name -> lastDeparture.put(name, world.now()));
        }
    }

    /** Returns the last time at which a client left the queue of a lock because its last caller gave up. */
    long lastDeparture(String name) {
        return lastDeparture.getOrDefault(name, Long.MIN_VALUE / 2);
    }

    /** Called when a lock is about to be released by force. */
    void forced(String name, long lastDrawn) {
        world.history.add(world.now(), "redis", "frees by force", name, 0);
        forcedUpTo.put(name, lastDrawn);
        forcedAt.put(name, world.now());
        keptUntil.remove(name);
        boolean isHeld = holds.stream().anyMatch(hold -> hold.lock.names().contains(name) && hold.isRelied());
        // If no caller holds the lock, a release may have granted it to any of these callers. A semaphore may also have
        // granted one of its other permits.
        waits.stream()
                .filter(wait -> wait.lock.names().contains(name) && (!isHeld || wait.lock.permits() > 0))
                .forEach(wait -> wait.mayHaveLostGrant = true);
        holds.forEach(hold -> hold.forced |= isForced(hold.lock, hold.lease.fencingToken()));
    }

    /** Returns whether the lock was released by force after the grant with this token. */
    boolean isForced(LockSpec lock, long token) {
        return lock.names().stream().anyMatch(name -> TokenChecks.drawn(token) <= forcedUpTo.getOrDefault(name, -1L));
    }

    /** Returns whether a part may have been released by force before the caller had the others. Its token is not the lock's. */
    private boolean isPartForced(Wait wait) {
        return wait.lock.kind().isComposite()
                && wait.lock.names().stream().anyMatch(name -> forcedAt.getOrDefault(name, -1L) >= wait.since);
    }

    long highestToken(String name) {
        return tokens.highest(name);
    }

    void canceled(Wait wait) {
        note(wait.caller, "cancels", wait.lock, 0);
        wait.canceled = true;
        waits.remove(wait);
        order.left(wait);
        departed(wait);
        if (wait.minHoldNanos > 0) {
            keep(wait.lock, world.now() + wait.minHoldNanos);
        }
    }

    private void keep(LockSpec lock, long until) {
        lock.names().forEach(name -> keptUntil.merge(name, until, Math::max));
    }

    void busy(Wait wait) {
        end(wait);
        counts.busy++;
        departed(wait);
        note(wait.caller, "busy", wait.lock, 0);
        long waited = world.now() - wait.since;
        long early = SOON + wait.waitNanos / LARGEST_DRIFT;
        if (!wait.instance.isClosing && waited + early < wait.waitNanos && wait.waitNanos > 0) {
            fail(
                    "a caller is refused only after its wait",
                    wait.lock,
                    wait.caller + " after " + waited / 1_000_000 + " ms");
        }
    }

    void unavailable(Wait wait, LockUnavailableException reason) {
        end(wait);
        counts.unavailable++;
        note(wait.caller, "unavailable", wait.lock, 0);
        if (!(reason instanceof LockNotYetGrantedException) && isOfAClosedServer(reason)) {
            fail(
                    "busy, unavailable and lost are different answers",
                    wait.lock,
                    wait.caller + " is not told that locks are not granted yet: " + reason.getMessage());
        }
        if (plan.profile() != Plan.Profile.FAILOVER
                && trouble.isWell(wait.instance, world.now() - wait.since)
                && wait.instance.minReplicas() == 0
                && !wait.instance.isClosing
                && !wait.process.dead
                && !maySucceedTooLate(wait)) {
            fail(
                    "busy, unavailable and lost are different answers",
                    wait.lock,
                    wait.caller + " hears \"unavailable\", and nothing is wrong: " + reason.getMessage());
        }
    }

    private static boolean isOfAClosedServer(Throwable reason) {
        return Stream.iterate(reason, Objects::nonNull, Throwable::getCause)
                .anyMatch(LockNotYetGrantedException.class::isInstance);
    }

    /** Returns whether a round trip can take longer than the lease that it brings. */
    private static boolean maySucceedTooLate(Wait wait) {
        return wait.leaseNanos > 0 && wait.leaseNanos - wait.leaseNanos / 20 < QUICK;
    }

    Hold granted(Step step, Wait wait, Lease lease) {
        end(wait);
        Hold hold = new Hold(step.lock(), wait.instance, wait.caller, lease, world.now());
        counts.grants++;
        counts.grantsOfKind.merge(step.lock().kind(), 1L, Long::sum);
        step.lock().names().forEach(name -> lastGrant.put(name, world.now()));
        note(wait.caller, "is granted", step.lock(), lease.fencingToken());
        long given = step.leaseMillis() > 0
                ? TimeUnit.MILLISECONDS.toNanos(step.leaseMillis())
                : wait.instance.watchdogNanos();
        if (step.maxHoldMillis() > 0) {
            hold.maxHoldEnd = world.now() + TimeUnit.MILLISECONDS.toNanos(step.maxHoldMillis());
        }
        hold.isRenewed = step.leaseMillis() == 0;
        hold.settledAt = world.now() + LeaseChecks.SETTLED;
        hold.inside = wait.inside;
        hold.forced = isForced(hold.lock, lease.fencingToken()) || isPartForced(wait);
        hold.longestEnd = world.now() + given;
        if (step.minHoldMillis() > 0) {
            // The minimum hold counts from the request, which may have taken long if something went wrong.
            long from = Math.max(wait.since, trouble.isWell(wait.instance, 0) ? world.now() - QUICK : Long.MIN_VALUE);
            hold.minHoldEnd = from + TimeUnit.MILLISECONDS.toNanos(step.minHoldMillis());
            keep(step.lock(), world.now() + TimeUnit.MILLISECONDS.toNanos(step.minHoldMillis()));
        }
        // A few leases may have ended on their way to the caller.
        if (!lease.isHeld() && ++invalid > MOST_INVALID && plan.profile().isSound() && !wait.instance.isClosing) {
            fail("a caller is given a valid lease", step.lock(), wait.caller);
        }
        if (plan.profile().excludes()) {
            grants.granted(hold);
        }
        leases.granted(step, hold);
        tokens.granted(hold);
        order.granted(wait, hold);
        holds.add(hold);
        return hold;
    }

    /**
     * Checks that waiters ask seldom. Polls are far apart, and so are requests after failures. A waiting room that asks again with each answer would
     * ask thousands of times.
     */
    void checkPace() {
        if (counts.executions > FEW + (long) MOST_FOR_EACH * counts.asked) {
            fail("waiters ask seldom", counts.executions + " commands for " + counts.asked + " calls");
        }
    }

    void write(Hold hold) {
        tokens.write(hold);
    }

    void verified(Hold hold, boolean held) {
        note(hold.caller, held ? "verifies" : "verifies that it lost", hold.lock, 0);
        leases.verified(hold, held);
    }

    /** Reports the loss of a lease to the checks, as its holder hears of it. */
    void watch(Hold hold) {
        stops.watch(hold);
        hold.lease.onLost(loss -> {
            if (!hold.process.dead) {
                lossReported(hold, loss);
            }
        });
    }

    /** Checks a lease inside which its thread has entered the lock again. */
    void nested(Step step, Hold hold, long calledAt, int count) {
        long asked = step.changeMillis() > 0
                ? TimeUnit.MILLISECONDS.toNanos(step.changeMillis())
                : hold.instance.watchdogNanos();
        note(hold.caller, "enters again", hold.lock, 0);
        if (count != 2) {
            fail("entries are counted", hold.lock, hold.caller + " has " + count);
        }
        long least = asked * 19 / 20 - (world.now() - calledAt) - SOON;
        if (!hold.isRenewed
                && step.maxHoldMillis() == 0
                && hold.lease.remaining().toNanos() < least) {
            fail("a nested hold has its whole lease", hold.lock, hold.caller);
        }
        if (step.changeMillis() == 0 && !hold.isRenewed) {
            hold.isRenewed = true;
            // Redis has given it its whole lease just now.
            hold.settledAt = world.now();
        }
    }

    void extended(Hold hold, long calledAt, long nanos) {
        long least = nanos * 19 / 20 - (world.now() - calledAt) - SOON;
        if (hold.isRelied()
                && hold.maxHoldEnd == Long.MAX_VALUE
                && hold.lease.remaining().toNanos() < least) {
            fail("an extension is as long as was asked for", hold.lock, hold.caller);
        }
        note(hold.caller, "extends", hold.lock, 0);
    }

    /** Records a minimum hold. It counts from the call, which may return late. */
    void kept(Hold hold, long calledAt, long nanos) {
        hold.minHoldEnd = calledAt + nanos;
        hold.isKeptByRelease = true;
        hold.sureUntil = world.now() + hold.lease.remaining().toNanos();
        keep(hold.lock, world.now() + nanos);
    }

    void releaseAsked(Hold hold) {
        List.copyOf(onNextRelease).forEach(Runnable::run);
        onNextRelease.clear();
        hold.releaseAsked = true;
        stops.released(hold);
        hold.isReleasedElsewhere = trouble.isFormerMasterServing();
        order.ended(hold);
        note(hold.caller, "releases", hold.lock, hold.lease.fencingToken());
    }

    void released(Hold hold, @Nullable Throwable thrown) {
        leases.released(hold, thrown);
    }

    private void lossReported(Hold hold, LeaseLoss loss) {
        note(hold.caller, "loses (" + loss.cause() + ")", hold.lock, hold.lease.fencingToken());
        hold.lock.names().forEach(name -> lastLoss.put(name, world.now()));
        leases.lossReported(hold, loss);
        order.ended(hold);
    }

    /** Returns the time at which a caller last acquired a name. Between two rounds of checks, a caller may have acquired and released it. */
    long lastGrant(String name) {
        return lastGrant.getOrDefault(name, Long.MIN_VALUE / 2);
    }

    /** Returns the last time at which a caller was told that it lost a name. */
    long lastLoss(String name) {
        return lastLoss.getOrDefault(name, Long.MIN_VALUE / 2);
    }

    /** Checks the holds in rounds, because a missing report of a loss shows only after some time. */
    void look() {
        trouble.look();
        leases.look();
        stops.look();
        leaders.look();
    }
}

package dev.holdfast.lock.simulation;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.simulation.LockSpec.Kind;
import dev.holdfast.lock.simulation.Plan.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What docs/guarantees.md promises about callers: checked at each answer, and for what only time shows, in rounds. */
final class Checks {

    private static final long QUICK = TimeUnit.MILLISECONDS.toNanos(70);
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long REPORT_LIMIT = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long TROUBLE_LASTS = TimeUnit.SECONDS.toNanos(8);

    private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(20);

    private final World world;
    private final Plan plan;
    final List<Hold> holds = new ArrayList<>();
    final List<Wait> waits = new ArrayList<>();
    private final Map<String, Long> highest = new HashMap<>();
    private final Map<String, Long> highestWriter = new HashMap<>();
    private final Map<String, Set<Long>> tokens = new HashMap<>();
    private final Map<String, Long> stored = new HashMap<>();
    private final Map<String, Long> lastGrant = new HashMap<>();
    /** When something last went wrong with a server. */
    long serverTroubledAt = Long.MIN_VALUE / 2;

    private @Nullable Violation violation;
    private boolean over;
    final Counts counts = new Counts();

    Checks(World world, Plan plan) {
        this.world = world;
        this.plan = plan;
    }

    @Nullable
    Violation violation() {
        return violation;
    }

    boolean isOver() {
        return over;
    }

    /** No caller begins anything more. */
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
        waits.add(wait);
        note(caller, "asks, waits " + step.waitMillis() + " ms for", step.lock(), 0);
        counts.asked++;
        long longest = wait.waitNanos + wait.instance.commandTimeoutNanos() + SLACK;
        world.plan(world.self, longest, () -> checkBudget(wait));
        return wait;
    }

    /** Whether the process ran all the time since. */
    private static boolean ranSince(SimulatedProcess process, long since) {
        return !process.dead && !process.isPaused() && process.resumedAt < since && process.pausedAt < since;
    }

    private void checkBudget(Wait wait) {
        if (!wait.ended && !wait.canceled && ranSince(wait.process, wait.since) && !wait.instance.isClosing) {
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
    }

    void canceled(Wait wait) {
        note(wait.caller, "cancels", wait.lock, 0);
        wait.canceled = true;
        waits.remove(wait);
    }

    void busy(Wait wait) {
        end(wait);
        counts.busy++;
        note(wait.caller, "busy", wait.lock, 0);
        if (wait.instance.isClosing) {
            return;
        }
        long waited = world.now() - wait.since;
        if (waited + SOON < wait.waitNanos && wait.waitNanos > 0) {
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
        boolean troubled = world.now() - Math.max(wait.instance.troubledAt, serverTroubledAt)
                < TROUBLE_LASTS + world.now() - wait.since;
        if (!troubled && wait.instance.minReplicas() == 0 && !wait.instance.isClosing && !wait.process.dead) {
            fail(
                    "busy, unavailable and lost are different answers",
                    wait.lock,
                    wait.caller + " hears \"unavailable\", and nothing is wrong: " + reason.getMessage());
        }
    }

    Hold granted(Step step, Wait wait, Lease lease) {
        end(wait);
        Hold hold = new Hold(step.lock(), wait.instance, wait.caller, lease, world.now());
        counts.grants++;
        step.lock().names().forEach(name -> lastGrant.put(name, world.now()));
        note(wait.caller, "is granted", step.lock(), lease.fencingToken());
        hold.longestEnd = world.now()
                + (step.leaseMillis() > 0
                        ? TimeUnit.MILLISECONDS.toNanos(step.leaseMillis())
                        : wait.instance.watchdogNanos());
        if (step.minHoldMillis() > 0) {
            // It counts from the request, which may have taken long where something went wrong.
            boolean quick = plan.faults().isEmpty()
                    || world.now() - Math.max(wait.instance.troubledAt, serverTroubledAt) > TROUBLE_LASTS;
            long from = Math.max(wait.since, quick ? world.now() - QUICK : Long.MIN_VALUE);
            hold.minHoldEnd = from + TimeUnit.MILLISECONDS.toNanos(step.minHoldMillis());
        }
        if (plan.profile().isSound()) {
            checkExclusion(hold);
        }
        checkTokens(hold);
        holds.add(hold);
        return hold;
    }

    private static boolean conflict(LockSpec one, LockSpec other) {
        if (one.names().stream().noneMatch(other.names()::contains)) {
            return false;
        }
        return !(one.kind().isShared() && other.kind().isShared());
    }

    private void checkExclusion(Hold granted) {
        int permits = 0;
        for (Hold other : holds) {
            boolean sameName = other.lock.names().stream().anyMatch(granted.lock.names()::contains);
            if (!sameName) {
                continue;
            }
            boolean relied = other.isRelied();
            permits += relied && granted.lock.kind() != Kind.READ ? 1 : 0;
            if (!conflict(granted.lock, other.lock)) {
                continue;
            }
            if (relied && granted.lease.isHeld()) {
                fail(
                        "one holder at a time",
                        granted.lock,
                        granted.caller + " has token " + granted.lease.fencingToken() + ", and " + other.caller
                                + " still has token " + other.lease.fencingToken());
            }
            boolean unreported = !other.releaseAsked
                    && other.lossReports == 0
                    && !relied
                    && world.now() - other.overSince > REPORT_LIMIT;
            if (unreported && ranSince(other.process, other.overSince)) {
                fail("a loss is reported before another is granted the lock", granted.lock, other.caller);
            }
            if (other.minHoldEnd - world.now() > SOON
                    && !other.process.dead
                    && !other.lock.kind().isComposite()
                    && granted.lease.isHeld()
                    && other.lossReports == 0) {
                fail(
                        "a lock stays taken for its minimum hold",
                        granted.lock,
                        granted.caller + " gets it " + (other.minHoldEnd - world.now()) / 1_000_000 + " ms too early");
            }
        }
        if (granted.lock.permits() > 0 && permits >= granted.lock.permits() && granted.lease.isHeld()) {
            fail("a semaphore grants no more than its number", granted.lock, granted.caller);
        }
    }

    private void checkTokens(Hold granted) {
        LockSpec lock = granted.lock;
        if (plan.profile() == Plan.Profile.CLOCKS || lock.kind() == Kind.MULTI) {
            return;
        }
        long token = granted.lease.fencingToken();
        boolean lossy = plan.profile() == Plan.Profile.LOSSY;
        for (String name : lock.names()) {
            if (!tokens.computeIfAbsent(name, any -> new HashSet<>()).add(token)) {
                fail("no token is given twice", lock, granted.caller + " has token " + token);
            }
            if (lossy) {
                continue;
            }
            long least =
                    lock.kind() == Kind.READ ? highestWriter.getOrDefault(name, 0L) : highest.getOrDefault(name, 0L);
            if (token <= least && lock.permits() == 0) {
                fail("tokens only grow", lock, granted.caller + " has token " + token + " after " + least);
            }
            highest.merge(name, token, Math::max);
            if (lock.kind() != Kind.READ) {
                highestWriter.merge(name, token, Math::max);
            }
        }
    }

    /** A write to a store that refuses a token below the highest that it has seen. */
    void write(Hold hold) {
        if (!hold.isRelied()
                || hold.lock.kind() == Kind.MULTI
                || hold.lock.kind().isShared()) {
            return;
        }
        counts.writes++;
        for (String name : hold.lock.names()) {
            long seen = stored.getOrDefault(name, 0L);
            long token = hold.lease.fencingToken();
            if (token >= seen) {
                stored.put(name, token);
            } else if (plan.profile().isSound()) {
                fail(
                        "the rightful holder is not refused",
                        hold.lock,
                        hold.caller + " writes with token " + token + " after " + seen);
            }
        }
    }

    void verified(Hold hold, boolean held) {
        note(hold.caller, held ? "verifies" : "verifies that it lost", hold.lock, 0);
        if (!held
                && hold.isRelied()
                && plan.profile().isSound()
                && !hold.lock.kind().isComposite()) {
            fail("a held lease is confirmed", hold.lock, hold.caller);
        }
    }

    void extended(Hold hold, long nanos) {
        hold.longestEnd = Math.max(hold.longestEnd, world.now() + nanos);
        note(hold.caller, "extends", hold.lock, 0);
    }

    void keptUntil(Hold hold, long nanos) {
        hold.minHoldEnd = world.now() + nanos;
    }

    void releaseAsked(Hold hold) {
        hold.releaseAsked = true;
        note(hold.caller, "releases", hold.lock, hold.lease.fencingToken());
    }

    void released(Hold hold, @Nullable Throwable thrown) {
        hold.settled = true;
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (failure == null) {
            hold.released = true;
            if (hold.lossReports > 0) {
                fail("a lease is released or lost", hold.lock, hold.caller + " was told of both");
            }
        } else if (!(failure instanceof LeaseLostException lost)) {
            fail("a release says that the lease was lost, or nothing", hold.lock, hold.caller + " " + failure);
        } else if (plan.profile() == Plan.Profile.CALM
                && hold.lossReports == 0
                && hold.lock.kind() != Kind.QUORUM
                && lost.loss().cause() == dev.holdfast.lock.LossCause.GONE) {
            fail("nothing is lost where nothing goes wrong", hold.lock, hold.caller);
        }
    }

    void lossReported(Hold hold, LeaseLoss loss) {
        hold.lossReports++;
        counts.losses++;
        note(hold.caller, "loses (" + loss.cause() + ")", hold.lock, hold.lease.fencingToken());
        if (hold.lossReports > 1) {
            fail("a loss is reported once", hold.lock, hold.caller);
        }
        if (hold.released) {
            fail("a lease is released or lost", hold.lock, hold.caller + " was told of both");
        }
        if (loss.cause() == dev.holdfast.lock.LossCause.GONE && plan.profile().isSound()) {
            fail(
                    "Redis keeps what is held",
                    hold.lock,
                    hold.caller + " loses a lease that Redis had no reason to forget");
        }
    }

    /** When a caller was last granted a name: between two rounds it may have had it and released it. */
    long lastGrant(String name) {
        return lastGrant.getOrDefault(name, Long.MIN_VALUE / 2);
    }

    /** What only time shows about holds. */
    void look() {
        long now = world.now();
        for (int i = holds.size() - 1; i >= 0; i--) {
            Hold hold = holds.get(i);
            if (hold.process.dead || (hold.releaseAsked && hold.settled && now > hold.minHoldEnd)) {
                if (now > hold.minHoldEnd && (now > hold.longestEnd || hold.settled)) {
                    holds.remove(i);
                }
                continue;
            }
            if (hold.releaseAsked || hold.lossReports > 0 || hold.lease.isHeld()) {
                if (hold.lossReports > 0 && !hold.releaseAsked && now - hold.overSince > TROUBLE_LASTS) {
                    holds.remove(i);
                } else if (hold.lossReports > 0 && hold.overSince == Long.MAX_VALUE) {
                    hold.overSince = now;
                }
                continue;
            }
            if (hold.overSince == Long.MAX_VALUE) {
                hold.overSince = now;
            } else if (now - hold.overSince > REPORT_LIMIT
                    && ranSince(hold.process, hold.overSince)
                    && !(hold.lock.kind().isComposite() && !hold.instance.isUp)) {
                fail("a loss is reported immediately", hold.lock, hold.caller + " was not told");
            }
        }
    }
}

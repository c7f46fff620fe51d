package dev.holdfast.lock.simulation;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.leader.LeaderElection;
import dev.holdfast.lock.simulation.Plan.CallerPlan;
import dev.holdfast.lock.simulation.Plan.End;
import dev.holdfast.lock.simulation.Plan.Step;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs a caller's script with the public API, one step after the other. */
final class Caller {

    private static final long A_WHILE = TimeUnit.MILLISECONDS.toNanos(50);

    private final String name;
    private final CallerPlan plan;
    private final Instance instance;
    private final World world;
    private final Checks checks;
    private int next;

    Caller(int number, CallerPlan plan, Instance instance, World world, Checks checks) {
        this.name = instance.number + "/" + number;
        this.plan = plan;
        this.instance = instance;
        this.world = world;
        this.checks = checks;
    }

    boolean isDone() {
        return next >= plan.steps().size();
    }

    /** Begins the script, or continues it after a restart of the instance. */
    void proceed() {
        if (isDone() || !instance.isUp || instance.isClosing || checks.isOver()) {
            return;
        }
        Step step = plan.steps().get(next);
        after(TimeUnit.MICROSECONDS.toNanos(step.thinkMicros()), () -> {
            if (instance.isClosing || checks.isOver()) {
                return;
            }
            next++;
            switch (plan.role()) {
                case LEASES -> acquire(step);
                case THREAD ->
                    world.fibers.start(instance.process, () -> {
                        new ThreadUse(step, instance, name, world, checks).run();
                        proceed();
                    });
                case CANDIDATE -> lead(step);
            }
        });
    }

    private void after(long nanos, Runnable task) {
        world.plan(instance.process, nanos, task);
    }

    private void acquire(Step step) {
        AcquireOptions options = AcquireOptions.defaults().waitAtMost(Duration.ofMillis(step.waitMillis()));
        if (step.leaseMillis() > 0) {
            options = options.lease(Duration.ofMillis(step.leaseMillis()));
        }
        if (step.maxHoldMillis() > 0) {
            options = options.maxHold(Duration.ofMillis(step.maxHoldMillis()));
        }
        if (step.minHoldMillis() > 0) {
            options = options.minHold(Duration.ofMillis(step.minHoldMillis()));
        }
        instance.called();
        Wait wait = checks.asked(step, instance, name);
        LeaseSource lock = instance.lock(step.lock());
        CompletableFuture<Optional<Lease>> answer;
        CompletableFuture<?> cancelable;
        try {
            if (step.throwing()) {
                CompletableFuture<Lease> lease = lock.acquireAsync(options).toCompletableFuture();
                cancelable = lease;
                answer = lease.thenApply(Optional::of);
            } else {
                answer = lock.tryAcquireAsync(options).toCompletableFuture();
                cancelable = answer;
            }
        } catch (LockException closed) {
            answer = CompletableFuture.failedFuture(closed);
            cancelable = answer;
        }
        CompletableFuture<?> call = cancelable;
        long cancelNanos = TimeUnit.MICROSECONDS.toNanos(Math.abs(step.cancelMicros()));
        Runnable cancel = () -> after(cancelNanos, () -> {
            if (!wait.ended && !wait.canceled) {
                checks.canceled(wait);
                call.cancel(false);
                proceed();
            }
        });
        if (step.cancelMicros() > 0) {
            cancel.run();
        } else if (step.cancelMicros() < 0) {
            checks.onNextRelease.add(cancel);
        }
        answer.whenComplete((lease, failure) -> {
            if (!wait.canceled) {
                answered(step, wait, lease == null ? null : lease.orElse(null), failure);
            }
        });
    }

    /**
     * Takes part in an election for the time of a hold. With an end that expires, steps down in the middle; else, with an odd lease, leaves there and
     * returns at once.
     */
    private void lead(Step step) {
        LeaseLock lock = (LeaseLock) instance.lock(step.lock());
        LeaderElection election = step.leaseMillis() == 0
                ? LeaderElection.of(lock)
                : LeaderElection.of(lock, Duration.ofMillis(step.leaseMillis()));
        LeaderChecks.Candidacy candidacy = checks.leaders.joined(instance, step.lock(), election);
        election.addListener(candidacy);
        election.start();
        long middle = TimeUnit.MICROSECONDS.toNanos(step.holdMicros()) / 2;
        after(middle, () -> {
            if (step.end() == End.EXPIRE) {
                election.stepDown();
            } else if (step.leaseMillis() % 2 == 1) {
                election.stopAsync();
                election.start();
            }
            after(
                    middle,
                    () -> election.stopAsync().whenComplete((done, failure) -> {
                        checks.leaders.left(candidacy);
                        proceed();
                    }));
        });
    }

    private void answered(Step step, Wait wait, @Nullable Lease lease, @Nullable Throwable thrown) {
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (failure instanceof LockUnavailableException down) {
            checks.unavailable(wait, down);
        } else if (failure instanceof LockNotAcquiredException || (failure == null && lease == null)) {
            checks.busy(wait);
        } else if (failure != null || lease == null) {
            checks.fail(
                    "an acquisition fails with an exception that is not one of its answers",
                    wait.lock,
                    wait.caller + " " + failure);
        } else {
            use(step, checks.granted(step, wait, lease));
            return;
        }
        after(A_WHILE, this::proceed);
    }

    private void use(Step step, Hold hold) {
        checks.watch(hold);
        long middle = TimeUnit.MICROSECONDS.toNanos(step.holdMicros()) / 2;
        after(middle, () -> {
            checks.write(hold);
            if (step.end() != End.RELEASE && step.end() != End.EXPIRE) {
                world.fibers.start(instance.process, () -> {
                    change(step, hold);
                    after(middle, () -> end(step, hold));
                });
            } else {
                after(middle, () -> end(step, hold));
            }
        });
    }

    private void change(Step step, Hold hold) {
        Duration change = Duration.ofMillis(step.changeMillis());
        try {
            switch (step.end()) {
                case VERIFY -> checks.verified(hold, hold.lease.verify());
                case EXTEND -> {
                    long calledAt = world.now();
                    hold.asksFor(calledAt, change.toNanos());
                    hold.lease.extend(change);
                    checks.extended(hold, calledAt, change.toNanos());
                }
                case RECORD -> {
                    if (step.lock().hasRecord()) {
                        String lock = step.lock().names().get(0);
                        checks.records.use(hold, instance.clients.get(0).getRecord(lock));
                    } else {
                        checks.records.guard(hold);
                    }
                }
                default -> {
                    long calledAt = world.now();
                    hold.lease.minHold(change);
                    checks.kept(hold, calledAt, change.toNanos());
                }
            }
        } catch (LockException | IllegalMonitorStateException gone) {
            // The lease was lost, or Redis did not answer.
        }
    }

    private void end(Step step, Hold hold) {
        checks.write(hold);
        if (step.end() == End.EXPIRE && step.leaseMillis() > 0) {
            proceed();
            return;
        }
        instance.called();
        checks.releaseAsked(hold);
        hold.lease.releaseAsync().whenComplete((done, failure) -> checks.released(hold, failure));
        proceed();
    }
}

package dev.holdfast.lock.simulation;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
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
            acquire(step);
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
        if (step.cancelMillis() > 0) {
            after(TimeUnit.MILLISECONDS.toNanos(step.cancelMillis()), () -> {
                if (!wait.ended) {
                    checks.canceled(wait);
                    call.cancel(false);
                    proceed();
                }
            });
        }
        answer.whenComplete((lease, failure) -> {
            if (!wait.canceled) {
                answered(step, wait, lease == null ? null : lease.orElse(null), failure);
            }
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
        hold.lease.onLost(loss -> {
            if (!hold.process.dead) {
                checks.lossReported(hold, loss);
            }
        });
        long middle = TimeUnit.MICROSECONDS.toNanos(step.holdMicros()) / 2;
        after(middle, () -> {
            checks.write(hold);
            if (step.end() == End.VERIFY || step.end() == End.EXTEND || step.end() == End.MIN_HOLD) {
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
        try {
            switch (step.end()) {
                case VERIFY -> checks.verified(hold, hold.lease.verify());
                case EXTEND -> {
                    hold.lease.extend(Duration.ofSeconds(3));
                    checks.extended(hold, TimeUnit.SECONDS.toNanos(3));
                }
                default -> {
                    long calledAt = world.now();
                    hold.lease.minHold(Duration.ofMillis(300));
                    checks.kept(hold, calledAt, TimeUnit.MILLISECONDS.toNanos(300));
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

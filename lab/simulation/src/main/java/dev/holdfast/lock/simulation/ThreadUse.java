package dev.holdfast.lock.simulation;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.thread.LibraryLock;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.simulation.LockSpec.Kind;
import dev.holdfast.lock.simulation.Plan.Step;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A thread's use of a lock: it enters twice, with a lease for each entry, and a writer also reads. It runs in a fiber. */
final class ThreadUse {

    private final Step step;
    private final Instance instance;
    private final String name;
    private final World world;
    private final Checks checks;
    private final LeaseLock lock;

    ThreadUse(Step step, Instance instance, String name, World world, Checks checks) {
        this.step = step;
        this.instance = instance;
        this.name = name;
        this.world = world;
        this.checks = checks;
        this.lock = (LeaseLock) instance.lock(step.lock());
    }

    void run() {
        Hold hold = enter(lock, step, null);
        if (hold == null) {
            return;
        }
        rest();
        checks.write(hold);
        reenter(hold);
        if (step.lock().kind() == Kind.READ) {
            askToWrite(hold);
        }
        Step reading = Step.of(new LockSpec(Kind.READ, step.lock().names(), 0), 0, 0, 0);
        LeaseLock reader = step.lock().kind() == Kind.WRITE ? (LeaseLock) instance.lock(reading.lock()) : null;
        Hold read = reader == null ? null : enter(reader, reading, hold);
        rest();
        checks.write(hold);
        if (reader != null && read != null && step.throwing()) {
            leave(reader, read);
            read = null;
        }
        leave(lock, hold);
        if (reader != null && read != null) {
            // The writer goes on reading.
            rest();
            leave(reader, read);
        }
    }

    private void rest() {
        world.fibers.await(new CompletableFuture<>(), TimeUnit.MICROSECONDS.toNanos(step.holdMicros()) / 2);
    }

    /** Enters a lock that the thread does not hold. Returns null if the thread does not get it. */
    private @Nullable Hold enter(LeaseLock entered, Step how, @Nullable Hold inside) {
        instance.called();
        Wait wait = checks.asked(how, instance, name);
        wait.inside = inside;
        boolean mustSucceed = inside != null && inside.isRelied();
        try {
            if (tryToEnter(entered, how.waitMillis(), how.leaseMillis())) {
                HeldLease lease = leaseOf(entered, how.lock());
                if (lease == null) {
                    checks.lostAtOnce(wait);
                    leaveLost(entered);
                    return null;
                }
                Hold hold = checks.granted(how, wait, lease);
                checks.watch(hold);
                return hold;
            }
            checks.busy(wait);
            if (mustSucceed && inside != null && inside.isRelied()) {
                checks.fail("a writer may read", how.lock(), name + " is refused");
            }
        } catch (LockUnavailableException down) {
            checks.unavailable(wait, down);
        }
        return null;
    }

    private static boolean tryToEnter(LeaseLock lock, int waitMillis, int leaseMillis) {
        try {
            Duration wait = Duration.ofMillis(waitMillis);
            return leaseMillis == 0 ? lock.tryLock(wait) : lock.tryLock(wait, Duration.ofMillis(leaseMillis));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static @Nullable HeldLease leaseOf(LeaseLock lock, LockSpec spec) {
        LockKind kind = switch (spec.kind()) {
            case PLAIN -> LockKind.REENTRANT;
            case FAIR -> LockKind.FAIR;
            case READ -> LockKind.READ;
            case WRITE -> LockKind.WRITE;
            default -> throw new IllegalStateException("A thread cannot hold a lock of the kind " + spec.kind());
        };
        ThreadHolds.Hold<?> hold =
                ((LibraryLock) lock).holds().find(new LockId(kind, spec.names().get(0)), Thread.currentThread());
        return hold == null ? null : (HeldLease) hold.lease();
    }

    /** Enters the lock once more, with the nested lease, and leaves it. */
    private void reenter(Hold hold) {
        boolean relied = hold.isRelied();
        long calledAt = world.now();
        hold.asksFor(
                calledAt, Math.max(TimeUnit.MILLISECONDS.toNanos(step.changeMillis()), hold.instance.watchdogNanos()));
        try {
            if (!tryToEnter(lock, 0, step.changeMillis())) {
                if (relied && hold.isRelied()) {
                    checks.fail("a thread enters its own lock again", step.lock(), name + " is refused");
                }
                return;
            }
        } catch (LockUnavailableException down) {
            return;
        }
        boolean isSame = leaseOf(lock, step.lock()) == hold.lease;
        if (relied && isSame && hold.isRelied()) {
            checks.nested(step, hold, calledAt, lock.holdCount());
        }
        rest();
        leaveLost(lock);
        if (isSame && hold.isRelied() && !lock.isHeldByCurrentThread()) {
            checks.fail("a lock is held until its last unlock", step.lock(), name);
        }
    }

    private void askToWrite(Hold reading) {
        LeaseLock writer =
                (LeaseLock) instance.lock(new LockSpec(Kind.WRITE, step.lock().names(), 0));
        boolean relied = reading.isRelied();
        try {
            if (writer.tryLock()) {
                if (relied && reading.isRelied()) {
                    checks.fail("a reader does not become a writer", step.lock(), name);
                }
                leaveLost(writer);
            }
        } catch (LockUnavailableException down) {
            // The read lock was lost, so the thread asked Redis.
        }
    }

    private void leave(LeaseLock left, Hold hold) {
        instance.called();
        checks.releaseAsked(hold);
        try {
            left.unlock();
            checks.released(hold, null);
        } catch (IllegalMonitorStateException lost) {
            checks.released(hold, lost);
        }
    }

    private static void leaveLost(LeaseLock left) {
        try {
            left.unlock();
        } catch (IllegalMonitorStateException lost) {
            // The lease had ended, which its listener reports.
        }
    }
}

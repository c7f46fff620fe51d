package dev.holdfast.lock.test;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import java.lang.Thread.State;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Determines whether only time can end the waits. This is certain only for threads that block in this library. So every thread that could end a wait
 * must block there:
 *
 * <ul>
 *   <li>the test's own thread, which may release what it holds elsewhere, or change something else;
 *   <li>a thread that holds an awaited lock, or that holds a lease that time would end;
 *   <li>a thread that is inside this library, because it may be about to hand over a lock or to receive one.
 * </ul>
 *
 * Nothing is known, or assumed, about other threads.
 */
final class Standstill {

    private static final List<String> LIBRARY =
            List.of("dev.holdfast.lock.internal.", "dev.holdfast.lock.redis.", "dev.holdfast.lock.composite.");

    /** The number of checks. Each takes a millisecond or more. */
    private static final int LOOKS_FOR_WAITERS = 10_000;

    private static final int LOOKS_FOR_QUIET = 200;

    private final VirtualClock clock;
    private final BlockedCallers blocked;
    private final TrackedExecutor callbacks;
    private final Instance app;

    private volatile Thread testThread = Thread.currentThread();
    /** Whether the test has promised that it ends no wait, and that each lease is released by the thread that acquired it. */
    private volatile boolean declared;

    Standstill(VirtualClock clock, BlockedCallers blocked, TrackedExecutor callbacks, Instance app) {
        this.clock = clock;
        this.blocked = blocked;
        this.callbacks = callbacks;
        this.app = app;
    }

    /** Makes the calling thread the test's thread. */
    void testThread() {
        testThread = Thread.currentThread();
    }

    void declared(boolean is) {
        declared = is;
    }

    /**
     * Returns the reason why something other than time may end a wait; null if only time can. Threads are examined one after the other. {@link
     * VirtualClock#jump} then checks that none of them has entered the library since.
     */
    @Nullable
    String obstacle() {
        Thread test = testThread;
        if (!declared && !isStill(test)) {
            return "thread '" + test.getName()
                    + "', which controls this client, does something else than wait for a lock";
        }
        Set<String> awaited =
                app.client().waitingLocks().stream().map(WaitingLock::lockName).collect(Collectors.toSet());
        String holder = app.leases()
                .map(lease -> obstacle(lease, awaited))
                .filter(found -> found != null)
                .findAny()
                .orElse(null);
        if (holder != null) {
            return holder;
        }
        if (!callbacks.areBlocked(blocked)) {
            return "a callback is running";
        }
        return isQuiet() ? null : "a thread is inside a method of a lock";
    }

    /** Waits until enough callers wait for matching locks, each of them in its place. Returns false if there are fewer after some seconds. */
    boolean awaitWaiters(Predicate<String> lockName, int waiters) {
        return await(
                LOOKS_FOR_WAITERS,
                () -> isQuiet()
                        && app.client().waitingLocks().stream()
                                        .filter(waiter -> lockName.test(waiter.lockName()))
                                        .count()
                                >= waiters);
    }

    /** Waits for a limited time until no thread is inside the library. */
    void awaitQuiet() {
        await(LOOKS_FOR_QUIET, this::isQuiet);
    }

    private static boolean await(int looks, BooleanSupplier question) {
        for (int i = 0; i < looks; i++) {
            if (question.getAsBoolean()) {
                return true;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        return false;
    }

    /** Returns whether no thread is inside the library. Then every waiter has sent its request, and every caller that got a lock has its lease. */
    private boolean isQuiet() {
        clock.forgetReaders(thread -> !blocked.isBlocked(thread) && isOutside(thread));
        return !clock.hasReaders(this::isInside);
    }

    /**
     * Returns whether a thread that has read the clock may still be inside the library. It counts as inside until its stack was seen without a method
     * of the library.
     */
    boolean isInside(Thread reader) {
        return !blocked.isBlocked(reader);
    }

    private @Nullable String obstacle(HeldLease lease, Set<String> awaited) {
        boolean timeEndsIt = !lease.isRenewed() || lease.terms().maxHoldNanos() != LeaseTerms.NO_LIMIT;
        if (!timeEndsIt && !isAwaited(lease.lockName(), awaited)) {
            return null;
        }
        Thread holder = lease.terms().thread();
        if (!lease.terms().threadBound() && !declared) {
            return "any thread may release the lease on lock '" + lease.lockName() + "', which thread '"
                    + holder.getName() + "' acquired as a value";
        }
        return isStill(holder)
                ? null
                : "thread '" + holder.getName() + "' has lock '" + lease.lockName()
                        + "' and does something else than wait for a lock";
    }

    /** Returns whether a caller waits for the lock. A lock with several names shares keys with other locks, so any of them counts. */
    private static boolean isAwaited(String lockName, Set<String> awaited) {
        return awaited.contains(lockName)
                || (!awaited.isEmpty() && lockName.startsWith("["))
                || awaited.stream().anyMatch(name -> name.startsWith("["));
    }

    private boolean isStill(Thread thread) {
        return blocked.isBlocked(thread) || thread.getState() == State.TERMINATED;
    }

    private static boolean isOutside(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (LIBRARY.stream().anyMatch(frame.getClassName()::startsWith)) {
                return false;
            }
        }
        return true;
    }
}

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.thread.UninterruptibleWait;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** The forms in which callers stand and wait: interruptibly, stubbornly, or not at all. */
public final class Acquisition {

    private final String lockName;
    private final Entrance entrance;
    private final Refusals refusals;

    Acquisition(String lockName, Entrance entrance, Refusals refusals) {
        this.lockName = lockName;
        this.entrance = entrance;
        this.refusals = refusals;
    }

    /** A duration as nanoseconds; what does not fit is for ever. */
    public static long nanos(String what, @Nullable Duration duration) {
        if (duration == null) {
            throw new IllegalArgumentException("'" + what + "' must not be null");
        }
        try {
            return duration.toNanos();
        } catch (ArithmeticException tooLong) {
            return duration.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    /** Waits; an interrupt gives up and leaves nothing behind. */
    public Optional<HeldLease> await(LeaseTerms terms, long waitNanos) throws InterruptedException {
        return await(entrance.enterBeside(terms, waitNanos));
    }

    private Optional<HeldLease> await(Waiter waiter) throws InterruptedException {
        try {
            return waiter.result().get();
        } catch (InterruptedException e) {
            if (entrance.giveUp(waiter)) {
                throw e;
            }
            // Settled at the same moment: the caller gets the result, and may see the interrupt afterwards.
            Thread.currentThread().interrupt();
            return awaitUninterruptibly(waiter);
        } catch (ExecutionException e) {
            throw entrance.failure(e.getCause());
        }
    }

    public Optional<HeldLease> awaitUninterruptibly(LeaseTerms terms, long waitNanos) {
        return awaitUninterruptibly(entrance.enterBeside(terms, waitNanos));
    }

    private Optional<HeldLease> awaitUninterruptibly(Waiter waiter) {
        try {
            return UninterruptibleWait.get(waiter.result());
        } catch (ExecutionException e) {
            throw entrance.failure(e.getCause());
        }
    }

    /** Waits for a lease as {@code acquire} does: an interrupt is an unchecked exception. */
    public HeldLease acquire(AcquireOptions options, Duration wait) {
        Waiter waiter = entrance.enter(entrance.terms(options, false), nanos("wait", wait));
        return awaitUnchecked(waiter)
                .orElseThrow(() -> refusals.notAcquired(waiter, wait, now(refusals.presentState(waiter, wait))));
    }

    public Optional<HeldLease> tryAcquire(AcquireOptions options, Duration wait) {
        return awaitUnchecked(entrance.enter(entrance.terms(options, false), nanos("wait", wait)));
    }

    /** Waits for an answer that comes soon or is not worth waiting for. */
    private static Optional<LockState> now(CompletableFuture<Optional<LockState>> answer) {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException e) {
            return Optional.empty();
        }
    }

    private Optional<HeldLease> awaitUnchecked(Waiter waiter) {
        try {
            return await(waiter);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(lockName, e);
        }
    }
}

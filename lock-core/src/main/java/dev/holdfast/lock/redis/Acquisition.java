package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.lease.Announcer;
import dev.holdfast.lock.lease.HeldLease;
import dev.holdfast.lock.lease.LeaseTerms;
import dev.holdfast.lock.waiting.Answer.Busy;
import dev.holdfast.lock.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The one way into a lock's waiting room, and the forms in which callers wait there: interruptibly, stubbornly, or not at all. */
final class Acquisition {

    private final String lockName;
    private final GrantDesk desk;
    private final ClientParts parts;

    Acquisition(String lockName, GrantDesk desk, ClientParts parts) {
        this.lockName = lockName;
        this.desk = desk;
        this.parts = parts;
    }

    LeaseTerms terms(AcquireOptions options, boolean threadBound) {
        Optional<Thread> bound = options.boundThread();
        return new LeaseTerms(
                options.givenLease().orElse(parts.settings().watchdogTimeout()).toNanos(),
                options.isRenewed(),
                options.minHold().toNanos(),
                options.givenMaxHold().map(limit -> nanos("maxHold", limit)).orElse(LeaseTerms.NO_LIMIT),
                threadBound || bound.isPresent(),
                options.interruptsOnLoss(),
                bound.orElseGet(Thread::currentThread));
    }

    /** A duration as nanoseconds; what does not fit is for ever. */
    static long nanos(String what, @Nullable Duration duration) {
        if (duration == null) {
            throw new IllegalArgumentException("'" + what + "' must not be null");
        }
        try {
            return duration.toNanos();
        } catch (ArithmeticException tooLong) {
            return duration.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    private Waiter enter(LeaseTerms terms, long waitNanos) {
        Waiter waiter = new Waiter(terms, waitNanos, parts.ticker().now());
        if (parts.closed().get()) {
            throw RedisFailures.closed(lockName);
        }
        waiter.result().thenAccept(lease -> announceIfNone(waiter, lease));
        desk.letIn(waiter);
        if (parts.closed().get()) {
            parts.rooms().refuseEverybody();
        }
        return waiter;
    }

    private void announceIfNone(Waiter waiter, Optional<HeldLease> lease) {
        if (lease.isEmpty()) {
            Duration waited = Duration.ofNanos(parts.ticker().now() - waiter.since());
            parts.announcer().event(listener -> listener.onTimedOut(lockName, waited));
        }
    }

    /** Waits; an interrupt gives up and leaves nothing behind. */
    Optional<HeldLease> await(LeaseTerms terms, long waitNanos) throws InterruptedException {
        return await(enter(terms, waitNanos));
    }

    private Optional<HeldLease> await(Waiter waiter) throws InterruptedException {
        try {
            return get(waiter);
        } catch (InterruptedException e) {
            if (waiter.result().cancel(false)) {
                parts.rooms().left(desk.roomKey(waiter.terms()), waiter);
                throw e;
            }
            // Settled at the same moment: the caller gets the result, and may see the interrupt afterwards.
            return awaitUninterruptibly(waiter, true);
        }
    }

    Optional<HeldLease> awaitUninterruptibly(LeaseTerms terms, long waitNanos) {
        return awaitUninterruptibly(enter(terms, waitNanos), false);
    }

    private Optional<HeldLease> awaitUninterruptibly(Waiter waiter, boolean interruptedBefore) {
        boolean interrupted = interruptedBefore;
        try {
            while (true) {
                try {
                    return get(waiter);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Optional<HeldLease> get(Waiter waiter) throws InterruptedException {
        try {
            return waiter.result().get();
        } catch (ExecutionException e) {
            // Anew, so that the stack trace is the caller's.
            throw failure(e.getCause());
        }
    }

    /** A room does not know the name that this caller used, nor is the closing of a client about one lock. */
    private RuntimeException failure(@Nullable Throwable thrown) {
        return parts.closed().get() ? RedisFailures.closed(lockName) : RedisFailures.anew(lockName, thrown);
    }

    /** Waits for a lease as {@code acquire} does: an interrupt is an unchecked exception. */
    HeldLease acquire(AcquireOptions options, Duration wait) {
        Waiter waiter = enter(terms(options, false), nanos("wait", wait));
        return awaitUnchecked(waiter).orElseThrow(() -> notAcquired(waiter, wait));
    }

    Optional<HeldLease> tryAcquire(AcquireOptions options, Duration wait) {
        return awaitUnchecked(enter(terms(options, false), nanos("wait", wait)));
    }

    private Optional<HeldLease> awaitUnchecked(Waiter waiter) {
        try {
            return await(waiter);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(lockName, e);
        }
    }

    private LockException notAcquired(Waiter waiter, Duration wait) {
        Busy busy = waiter.lastAnswer() instanceof Busy last ? last : null;
        Duration left = busy == null || busy.holder() == null || busy.retryAfterNanos() == Long.MAX_VALUE
                ? null
                : Duration.ofMillis(busy.retryAfterNanos() / 1_000_000);
        return new LockNotAcquiredException(lockName, wait, busy == null ? null : busy.holder(), left);
    }

    CompletableFuture<Lease> acquireAsync(AcquireOptions options, Duration wait) {
        return async(options, wait, waiter -> lease -> lease.orElseThrow(() -> notAcquired(waiter, wait)));
    }

    CompletableFuture<Optional<Lease>> tryAcquireAsync(AcquireOptions options, Duration wait) {
        return async(options, wait, waiter -> lease -> lease.map(Function.identity()));
    }

    /** The caller's future runs what is chained to it on the common pool, and gives up when its owner settles it. */
    private <T> CompletableFuture<T> async(
            AcquireOptions options, Duration wait, Function<Waiter, Function<Optional<HeldLease>, T>> outcome) {
        LeaseTerms terms = terms(options, false);
        long waitNanos = nanos("wait", wait);
        Waiter waiter;
        try {
            waiter = enter(terms, waitNanos);
        } catch (LockUnavailableException closed) {
            return CompletableFuture.failedFuture(closed);
        }
        CompletableFuture<T> future = new CompletableFuture<>();
        waiter.result()
                .whenCompleteAsync(
                        (lease, failure) -> {
                            boolean taken;
                            if (failure != null) {
                                taken = future.completeExceptionally(
                                        parts.closed().get() ? failure(failure) : failure);
                            } else {
                                taken = complete(future, lease, outcome.apply(waiter));
                            }
                            if (!taken && lease != null) {
                                lease.ifPresent(HeldLease::releaseAsync);
                            }
                        },
                        Announcer.CALLER_SIDE);
        future.whenComplete((value, failure) -> {
            // Cancelled, or ended by orTimeout() and its like.
            if (waiter.result().cancel(false)) {
                parts.rooms().left(desk.roomKey(waiter.terms()), waiter);
            }
        });
        return future;
    }

    private static <T> boolean complete(
            CompletableFuture<T> future, Optional<HeldLease> lease, Function<Optional<HeldLease>, T> outcome) {
        try {
            return future.complete(outcome.apply(lease));
        } catch (LockException e) {
            return future.completeExceptionally(e);
        }
    }
}

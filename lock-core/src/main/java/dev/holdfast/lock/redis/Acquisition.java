package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.lease.AcquisitionSite;
import dev.holdfast.lock.lease.Announcer;
import dev.holdfast.lock.lease.HeldLease;
import dev.holdfast.lock.lease.LeaseTerms;
import dev.holdfast.lock.thread.StubbornWait;
import dev.holdfast.lock.waiting.Answer.Busy;
import dev.holdfast.lock.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
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
                bound.orElseGet(Thread::currentThread),
                parts.settings().recordsSites() ? new AcquisitionSite(lockName) : null);
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
        return enter(new Waiter(terms, waitNanos, parts.ticker().now()));
    }

    /** Enters for a thread that stands still meanwhile: what it has of the lock it will have when it is answered. */
    private Waiter enterBeside(LeaseTerms terms, long waitNanos) {
        return enter(new Waiter(terms, waitNanos, parts.ticker().now(), desk.beside()));
    }

    private Waiter enter(Waiter waiter) {
        if (parts.closed().get()) {
            throw RedisFailures.closed(lockName);
        }
        waiter.result().whenComplete((lease, failure) -> {
            if (failure != null) {
                announceIfUnavailable(waiter, failure);
            } else if (lease.isEmpty()) {
                parts.announcer().timedOut(lockName, desk.kind(), waitedSoFar(waiter));
            }
        });
        desk.letIn(waiter);
        if (parts.closed().get()) {
            parts.rooms().refuseEverybody();
        }
        return waiter;
    }

    private void announceIfUnavailable(Waiter waiter, Throwable failure) {
        if (failure instanceof LockUnavailableException && !parts.closed().get()) {
            parts.announcer().unavailable(lockName, desk.kind(), waitedSoFar(waiter), failure);
        }
    }

    private long waitedSoFar(Waiter waiter) {
        return parts.ticker().now() - waiter.since();
    }

    /** Waits; an interrupt gives up and leaves nothing behind. */
    Optional<HeldLease> await(LeaseTerms terms, long waitNanos) throws InterruptedException {
        return await(enterBeside(terms, waitNanos));
    }

    private Optional<HeldLease> await(Waiter waiter) throws InterruptedException {
        try {
            return waiter.result().get();
        } catch (InterruptedException e) {
            if (waiter.result().cancel(false)) {
                parts.rooms().left(desk.roomKey(waiter), waiter);
                throw e;
            }
            // Settled at the same moment: the caller gets the result, and may see the interrupt afterwards.
            Thread.currentThread().interrupt();
            return awaitUninterruptibly(waiter);
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    Optional<HeldLease> awaitUninterruptibly(LeaseTerms terms, long waitNanos) {
        return awaitUninterruptibly(enterBeside(terms, waitNanos));
    }

    private Optional<HeldLease> awaitUninterruptibly(Waiter waiter) {
        try {
            return StubbornWait.get(waiter.result());
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    /**
     * Anew, so that the stack trace is the caller's. A room does not know the name that this caller used, nor is the closing of a client about one
     * lock.
     */
    private RuntimeException failure(@Nullable Throwable thrown) {
        return parts.closed().get() ? RedisFailures.closed(lockName) : RedisFailures.anew(lockName, thrown);
    }

    /** Waits for a lease as {@code acquire} does: an interrupt is an unchecked exception. */
    HeldLease acquire(AcquireOptions options, Duration wait) {
        Waiter waiter = enter(terms(options, false), nanos("wait", wait));
        return awaitUnchecked(waiter).orElseThrow(() -> notAcquired(waiter, wait, now(presentState(waiter, wait))));
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

    /**
     * Who is in the way. Looked up only where somebody is about to be told, and within the command timeout that every wait may take longer;
     * where it cannot be had in time, the answer is "busy" all the same.
     */
    private CompletableFuture<Optional<LockState>> presentState(Waiter waiter, Duration wait) {
        long overdue = Math.max(0, waitedSoFar(waiter) - Math.max(0, nanos("wait", wait)));
        long left = parts.settings().connection().commandTimeout().toNanos() - overdue;
        if (left <= 0 || parts.closed().get()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return parts.holders()
                .find(lockName, desk.key(), parts.rooms().waiters(desk.roomKey()))
                .exceptionally(failure -> Optional.empty())
                .completeOnTimeout(Optional.empty(), left, TimeUnit.NANOSECONDS);
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

    private LockException notAcquired(Waiter waiter, Duration wait, Optional<LockState> found) {
        if (found.isPresent()) {
            return new LockNotAcquiredException(lockName, wait, found.get());
        }
        Busy busy = waiter.lastAnswer() instanceof Busy last ? last : null;
        Duration left = busy == null || busy.holder() == null || busy.retryAfterNanos() == Long.MAX_VALUE
                ? null
                : Duration.ofMillis(busy.retryAfterNanos() / 1_000_000);
        return new LockNotAcquiredException(lockName, wait, busy == null ? null : busy.holder(), left);
    }

    CompletableFuture<Lease> acquireAsync(AcquireOptions options, Duration wait) {
        return async(
                options,
                wait,
                Function.identity(),
                waiter -> presentState(waiter, wait)
                        .thenApplyAsync(
                                found -> {
                                    throw notAcquired(waiter, wait, found);
                                },
                                Announcer.CALLER_SIDE));
    }

    CompletableFuture<Optional<Lease>> tryAcquireAsync(AcquireOptions options, Duration wait) {
        return async(options, wait, Optional::of, waiter -> CompletableFuture.completedFuture(Optional.empty()));
    }

    /** The caller's future runs what is chained to it on the common pool, and gives up when its owner settles it. */
    private <T> CompletableFuture<T> async(
            AcquireOptions options,
            Duration wait,
            Function<Lease, T> ifAcquired,
            Function<Waiter, CompletableFuture<T>> ifBusy) {
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
                            } else if (lease.isPresent()) {
                                taken = future.complete(ifAcquired.apply(lease.get()));
                            } else {
                                taken = true;
                                ifBusy.apply(waiter).whenComplete((value, busy) -> settle(future, value, busy));
                            }
                            if (!taken && lease != null) {
                                lease.ifPresent(HeldLease::releaseAsync);
                            }
                        },
                        Announcer.CALLER_SIDE);
        future.whenComplete((value, failure) -> {
            // Cancelled, or ended by orTimeout() and its like.
            if (waiter.result().cancel(false)) {
                parts.rooms().left(desk.roomKey(waiter), waiter);
            }
        });
        return future;
    }

    private static <T> void settle(CompletableFuture<T> future, @Nullable T value, @Nullable Throwable busy) {
        if (busy == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(
                    busy instanceof CompletionException && busy.getCause() != null ? busy.getCause() : busy);
        }
    }
}

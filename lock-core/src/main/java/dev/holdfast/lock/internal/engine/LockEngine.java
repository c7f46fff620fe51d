package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.internal.lease.AcquisitionSite;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.RedisKind;
import dev.holdfast.lock.internal.thread.UninterruptibleWait;
import dev.holdfast.lock.internal.waiting.RoomId;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Acquires one lock of a started client, in every form in which a caller can wait for it. */
public final class LockEngine {

    private final OpenClient client;
    private final NamedLock lock;
    private final LockGrants grants;

    /**
     * Creates a lock's.
     *
     * @param client the start of the client that it belongs to
     */
    public LockEngine(String name, LockId id, RedisKind kind, OpenClient client) {
        this.client = client;
        this.lock = new NamedLock(name, id, new RoomId(id, null), kind, client.parts());
        this.grants = new LockGrants(lock);
    }

    /** Whether it belongs to that start of its client. */
    public boolean belongsTo(OpenClient present) {
        return client == present;
    }

    /** Waits as {@link java.util.concurrent.locks.Lock#lockInterruptibly} does; an interrupt gives up and leaves nothing behind. */
    public Optional<HeldLease> lockInterruptibly(AcquireOptions options, Duration wait) throws InterruptedException {
        Waiter waiter = enterAsThread(options, wait);
        return waiter == null ? Optional.empty() : await(waiter);
    }

    /** Waits as {@link java.util.concurrent.locks.Lock#lock} does. */
    public Optional<HeldLease> lockUninterruptibly(AcquireOptions options, Duration wait) {
        Waiter waiter = enterAsThread(options, wait);
        return waiter == null ? Optional.empty() : awaitUninterruptibly(waiter);
    }

    /** Waits for a lease; an interrupt is an unchecked exception. */
    public HeldLease acquire(AcquireOptions options, Duration wait) {
        Waiter waiter = enter(options, wait);
        Optional<HeldLease> lease = awaitUnchecked(waiter);
        if (lease.isPresent()) {
            return lease.get();
        }
        BusyReport report = new BusyReport(lock, waiter, wait);
        throw report.exception(now(report.presentState()));
    }

    /** Waits for a lease as {@link #acquire} does. Empty if busy to the end. */
    public Optional<HeldLease> tryAcquire(AcquireOptions options, Duration wait) {
        return awaitUnchecked(enter(options, wait));
    }

    /** Acquires without blocking. The future completes on the given executor. */
    public CompletableFuture<Lease> acquireAsync(AcquireOptions options, Duration wait, Executor callbacks) {
        return new AsyncAcquisition(this, lock, callbacks).acquire(options, wait);
    }

    /** Acquires without blocking. The future completes on the given executor, empty if busy to the end. */
    public CompletableFuture<Optional<Lease>> tryAcquireAsync(
            AcquireOptions options, Duration wait, Executor callbacks) {
        return new AsyncAcquisition(this, lock, callbacks).tryAcquire(options, wait);
    }

    /** Fills in the client's defaults. */
    public LeaseTerms terms(AcquireOptions options, boolean threadBound) {
        Optional<Thread> bound = options.boundThread();
        return new LeaseTerms(
                options.givenLease()
                        .orElse(lock.parts().settings().watchdogTimeout())
                        .toNanos(),
                options.isRenewed(),
                options.minHold().toNanos(),
                options.givenMaxHold()
                        .map(limit -> LeaseTerms.nanos("maxHold", limit))
                        .orElse(LeaseTerms.NO_LIMIT),
                threadBound || bound.isPresent(),
                options.interruptsOnLoss(),
                bound.orElseGet(Thread::currentThread),
                lock.parts().settings().recordsSites() ? new AcquisitionSite(lock.name()) : null);
    }

    Waiter enter(AcquireOptions options, Duration wait) {
        return enter(new Waiter(
                terms(options, false),
                LeaseTerms.nanos("wait", wait),
                lock.parts().ticker().now()));
    }

    /** Enters for a thread that blocks meanwhile: what it holds of the lock now it will hold when it is answered. Null if it cannot get the lock. */
    private @Nullable Waiter enterAsThread(AcquireOptions options, Duration wait) {
        long waitNanos = LeaseTerms.nanos("wait", wait);
        if (waitNanos > 0) {
            ReadWriteHolds.refuseUpgrade(lock);
        }
        if (ReadWriteHolds.isUpgrade(lock)) {
            return null;
        }
        long now = lock.parts().ticker().now();
        return enter(new Waiter(terms(options, true), waitNanos, now, ReadWriteHolds.writerOwner(lock)));
    }

    private Waiter enter(Waiter waiter) {
        ClientParts parts = lock.parts();
        if (parts.closed().get()) {
            throw RedisFailures.closed(lock.name());
        }
        parts.rooms().enter(room(waiter), grants, waiter);
        if (parts.closed().get()) {
            parts.rooms().refuseEverybody();
        }
        return waiter;
    }

    /** Each waiter for a fair lock has a place of its own. A reader that is the writer's own thread waits for nobody. */
    private RoomId room(Waiter waiter) {
        Object guest = lock.lockKind().isFair() ? waiter : waiter.writerOwner();
        return guest == null ? lock.room() : new RoomId(lock.id(), guest);
    }

    /**
     * Leaves in good time.
     *
     * @return false if the waiter's result came first
     */
    boolean giveUp(Waiter waiter) {
        boolean left = waiter.result().cancel(false);
        if (left) {
            lock.parts().rooms().left(room(waiter), waiter);
        }
        return left;
    }

    /** A waiter's failure for its caller: new, so that the stack trace is the caller's, with the name that this caller used. */
    RuntimeException failure(@Nullable Throwable thrown) {
        return lock.parts().closed().get()
                ? RedisFailures.closed(lock.name())
                : RedisFailures.anew(lock.name(), thrown);
    }

    private Optional<HeldLease> awaitUnchecked(Waiter waiter) {
        try {
            return await(waiter);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(lock.name(), e);
        }
    }

    private Optional<HeldLease> await(Waiter waiter) throws InterruptedException {
        try {
            return waiter.result().get();
        } catch (InterruptedException e) {
            if (giveUp(waiter)) {
                throw e;
            }
            // Settled at the same moment: the caller gets the result, and may see the interrupt afterwards.
            Thread.currentThread().interrupt();
            return awaitUninterruptibly(waiter);
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    private Optional<HeldLease> awaitUninterruptibly(Waiter waiter) {
        try {
            return UninterruptibleWait.get(waiter.result());
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
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
}

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.lease.AcquisitionSite;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The one way into a lock's waiting room, and out of it without the lock. */
public final class Entrance {

    private final String lockName;
    private final GrantDesk desk;
    private final ClientParts parts;

    Entrance(String lockName, GrantDesk desk, ClientParts parts) {
        this.lockName = lockName;
        this.desk = desk;
        this.parts = parts;
    }

    public LeaseTerms terms(AcquireOptions options, boolean threadBound) {
        Optional<Thread> bound = options.boundThread();
        return new LeaseTerms(
                options.givenLease().orElse(parts.settings().watchdogTimeout()).toNanos(),
                options.isRenewed(),
                options.minHold().toNanos(),
                options.givenMaxHold()
                        .map(limit -> Acquisition.nanos("maxHold", limit))
                        .orElse(LeaseTerms.NO_LIMIT),
                threadBound || bound.isPresent(),
                options.interruptsOnLoss(),
                bound.orElseGet(Thread::currentThread),
                parts.settings().recordsSites() ? new AcquisitionSite(lockName) : null);
    }

    Waiter enter(LeaseTerms terms, long waitNanos) {
        return enter(new Waiter(terms, waitNanos, parts.ticker().now()));
    }

    /** Enters for a thread that stands still meanwhile: what it has of the lock it will have when it is answered. */
    Waiter enterBeside(LeaseTerms terms, long waitNanos) {
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
                parts.events().timedOut(lockName, desk.kind(), waitedSoFar(waiter));
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
            parts.events().unavailable(lockName, desk.kind(), waitedSoFar(waiter), failure);
        }
    }

    /** How long a waiter has been waiting. */
    long waitedSoFar(Waiter waiter) {
        return parts.ticker().now() - waiter.since();
    }

    /**
     * Leaves in good time.
     *
     * @return false if the waiter's result came first
     */
    boolean giveUp(Waiter waiter) {
        boolean left = waiter.result().cancel(false);
        if (left) {
            parts.rooms().left(desk.roomKey(waiter), waiter);
        }
        return left;
    }

    /**
     * What a caller is told of its waiter's failure. Anew, so that the stack trace is the caller's: a room does not know the name that this caller
     * used, nor is the closing of a client about one lock.
     */
    RuntimeException failure(@Nullable Throwable thrown) {
        return parts.closed().get() ? RedisFailures.closed(lockName) : RedisFailures.anew(lockName, thrown);
    }
}

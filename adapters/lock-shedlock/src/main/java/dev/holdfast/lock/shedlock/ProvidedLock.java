package dev.holdfast.lock.shedlock;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

/** A held lock in the form that ShedLock uses. An extension changes the length of the lease and the minimum hold, and replaces the object. */
final class ProvidedLock extends AbstractSimpleLock {

    private static final ThreadLocal<@Nullable ProvidedLock> CURRENT = new ThreadLocal<>();

    private final Lease lease;
    private final boolean renewing;
    private final long sentAt;
    private final @Nullable ProvidedLock outer;

    private ProvidedLock(
            Lease lease, LockConfiguration configuration, boolean renewing, long sentAt, @Nullable ProvidedLock outer) {
        super(configuration);
        this.lease = lease;
        this.renewing = renewing;
        this.sentAt = sentAt;
        this.outer = outer;
    }

    static SimpleLock begin(Lease lease, LockConfiguration configuration, long askedAt, boolean renewing) {
        return new ProvidedLock(lease, configuration, renewing, askedAt, CURRENT.get()).entered();
    }

    static Optional<Lease> current() {
        return Optional.ofNullable(CURRENT.get()).map(lock -> lock.lease);
    }

    private SimpleLock entered() {
        CURRENT.set(this);
        return this;
    }

    /** Removes this thread's entry. A task that is unlocked on another thread leaves an entry on its own thread, but the entry's lease is over. */
    private void leave() {
        if (CURRENT.get() == this) {
            if (outer == null || !outer.lease.isHeld()) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    static Duration lease(Duration atMost) {
        return within(AcquireOptions.MIN_LEASE, atMost);
    }

    static Duration minHold(Duration atLeast) {
        return within(Duration.ZERO, atLeast);
    }

    private static Duration within(Duration least, Duration given) {
        Duration enough = given.compareTo(least) < 0 ? least : given;
        return enough.compareTo(AcquireOptions.MAX_LEASE) > 0 ? AcquireOptions.MAX_LEASE : enough;
    }

    @Override
    protected void doUnlock() {
        leave();
        try {
            lease.close();
        } catch (LeaseLostException reported) {
            // ShedLock expects no exception when it unlocks an expired lock. The client has already logged the loss and
            // notified its listeners.
        }
    }

    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
        long now = System.nanoTime();
        if (isOver(now)) {
            doUnlock();
            return Optional.empty();
        }
        try {
            Duration atMost = extended.getLockAtMostFor();
            if (!renewing) {
                lease.maxHold(atMost.compareTo(AcquireOptions.MIN_LEASE) < 0 ? AcquireOptions.MIN_LEASE : atMost);
            }
            lease.extend(lease(atMost));
            lease.minHold(minHold(extended.getLockAtLeastFor()));
        } catch (IllegalMonitorStateException lost) {
            leave();
            return Optional.empty();
        }
        leave();
        return Optional.of(new ProvidedLock(lease, extended, renewing, now, CURRENT.get()).entered());
    }

    /** Returns whether the lock has ended for ShedLock. A lease lasts at least 10 ms, but ShedLock's limit may be shorter. */
    private boolean isOver(long now) {
        return !renewing && now - sentAt >= TimeUnit.NANOSECONDS.convert(lockConfiguration.getLockAtMostFor());
    }
}

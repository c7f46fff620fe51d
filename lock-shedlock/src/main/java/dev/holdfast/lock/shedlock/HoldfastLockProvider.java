package dev.holdfast.lock.shedlock;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * A ShedLock provider whose locks are those of a {@link LockClient}. A lock's name in Redis is ShedLock's name as it is, so a job under {@code
 * SchedulerLock} and one under {@code DistributedLock} of the same name exclude each other.
 *
 * <p>{@code lockAtMostFor} is the length of the lease, from 10 ms. One of more than 24 h is a lease of 24 h that is renewed until {@code lockAtMostFor}
 * ends: if the process dies, the lock is free after at most 24 h. {@code lockAtLeastFor} is the minimum hold, at most 24 h. If Redis cannot be asked,
 * {@code lock} throws {@link dev.holdfast.lock.LockUnavailableException}, and the task does not run.
 *
 * <p>Immutable and thread-safe.
 */
public final class HoldfastLockProvider implements ExtensibleLockProvider {

    private final LockClient client;
    private final Duration waitTime;
    private final boolean renewing;

    /**
     * Creates a provider that behaves as ShedLock's own: it asks once and does not renew.
     *
     * @param client not closed with the provider
     */
    public HoldfastLockProvider(LockClient client) {
        this(client, Duration.ZERO, false);
    }

    private HoldfastLockProvider(LockClient client, Duration waitTime, boolean renewing) {
        this.client = client;
        this.waitTime = waitTime;
        this.renewing = renewing;
    }

    /**
     * Waits for a busy lock, and is woken by its release. ShedLock's own providers ask once.
     *
     * @param waitTime zero or less asks once
     * @return a changed copy
     */
    public HoldfastLockProvider waitAtMost(Duration waitTime) {
        return new HoldfastLockProvider(client, waitTime, renewing);
    }

    /**
     * Renews locks while their tasks run, at a third of {@code lockAtMostFor}. A task that runs for longer keeps its lock. If its process dies, the lock
     * is free after {@code lockAtMostFor}, which can be short then.
     *
     * @return a changed copy
     */
    public HoldfastLockProvider renewing() {
        return new HoldfastLockProvider(client, waitTime, true);
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        long askedAt = System.nanoTime();
        return client.getLock(configuration.getName())
                .tryAcquire(options(configuration))
                .map(lease -> ProvidedLock.begin(lease, configuration, askedAt, renewing));
    }

    private AcquireOptions options(LockConfiguration configuration) {
        Duration atMost = configuration.getLockAtMostFor();
        AcquireOptions options = AcquireOptions.defaults()
                .waitAtMost(waitTime)
                .lease(ProvidedLock.lease(atMost))
                .minHold(ProvidedLock.minHold(configuration.getLockAtLeastFor()));
        if (renewing) {
            return options.renewed();
        }
        return atMost.compareTo(AcquireOptions.MAX_LEASE) > 0
                ? options.renewed().maxHold(atMost)
                : options;
    }

    /**
     * {@return the lease of the task that this thread runs under a lock of such a provider} It has the fencing token, and says whether the lock is still
     * held. Empty if the thread runs no such task, or its lease is over.
     */
    public static Optional<Lease> currentLease() {
        return ProvidedLock.current().filter(Lease::isHeld);
    }
}

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
 * A ShedLock provider that uses the locks of a {@link LockClient}. A lock has the same name in Redis as in ShedLock, so a job with {@code
 * SchedulerLock} and a job with {@code DistributedLock} of the same name exclude each other.
 *
 * <p>{@code lockAtMostFor} is the length of the lease and must be at least 10 ms. If it is more than 24 h, the lease is 24 h long and is renewed
 * until {@code lockAtMostFor} ends; if the process dies, the lock is free after at most 24 h. {@code lockAtLeastFor} is the minimum hold, at most 24
 * h. If Redis does not answer, {@code lock} throws {@link dev.holdfast.lock.LockUnavailableException}, and the task does not run.
 *
 * <p>Immutable and thread-safe.
 */
public final class HoldfastLockProvider implements ExtensibleLockProvider {

    private final LockClient client;
    private final Duration waitTime;
    private final boolean renewing;

    /**
     * Creates a provider that behaves like ShedLock's own providers: it tries once and does not renew.
     *
     * @param client the lock client, which the provider does not close
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
     * Waits for a busy lock. The lock's release wakes the waiter. Without this setting, the provider tries once, like ShedLock's own.
     *
     * @param waitTime the wait time; if zero or less, the provider tries once
     * @return a changed copy
     */
    public HoldfastLockProvider waitAtMost(Duration waitTime) {
        return new HoldfastLockProvider(client, waitTime, renewing);
    }

    /**
     * Renews locks while their tasks run, each time a third of {@code lockAtMostFor} has passed. A task that runs longer keeps its lock. If its
     * process dies, the lock is free after {@code lockAtMostFor}, which can therefore be short.
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
     * {@return the lease of the task that this thread runs under a lock of such a provider} The lease has the fencing token, and tells whether the
     * lock is still held. Empty if the thread runs no such task, or if the task's lease is over.
     */
    public static Optional<Lease> currentLease() {
        return ProvidedLock.current().filter(Lease::isHeld);
    }
}

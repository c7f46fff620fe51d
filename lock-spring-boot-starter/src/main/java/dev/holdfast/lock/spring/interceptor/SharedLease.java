package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.interceptor.LockObservations.LockObservation;
import dev.holdfast.lock.spring.interceptor.LockOperation.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A lease that an annotated call acquired, and that calls inside it share. The last one that leaves releases it: an inner call may continue after
 * the call that acquired the lock has returned, and a transaction outlives the calls in it.
 */
final class SharedLease {

    private final LockClient client;
    private final List<String> names;
    private final LockKind kind;
    private final Lease lease;
    private final boolean renewed;
    private final LockObservation observation;
    private final AtomicInteger sharers = new AtomicInteger(1);
    private volatile boolean keptByTransaction;

    SharedLease(LockClient client, List<String> names, LockRequest request, Lease lease, LockObservation observation) {
        this.client = client;
        this.names = names;
        this.kind = request.kind();
        this.lease = lease;
        this.renewed = request.terms().options().isRenewed();
        this.observation = observation;
    }

    Lease lease() {
        return lease;
    }

    /** The lease time that a call inside needs, if less remains of this lease. */
    Optional<Duration> extensionFor(AcquireOptions options) {
        return renewed
                ? Optional.empty()
                : options.givenLease().filter(needed -> lease.remaining().compareTo(needed) < 0);
    }

    LockObservation observation() {
        return observation;
    }

    /** Adds a sharer. Returns false if the last one has left. */
    boolean share() {
        return sharers.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Removes a sharer. Returns true for the last one, which releases the lease. */
    boolean leave() {
        return sharers.decrementAndGet() == 0;
    }

    /** From now on the thread holds the lock until a transaction completes, and not only until the call returns. */
    void keepForTransaction() {
        keptByTransaction = true;
    }

    boolean isKeptByTransaction() {
        return keptByTransaction;
    }

    /** Whether a call under this lease need not acquire that lock. */
    boolean covers(LockClient asked, String name, LockKind wanted) {
        return isOf(asked, name)
                && (wanted == kind || (wanted == LockKind.READ && kind == LockKind.WRITE))
                && lease.isHeld();
    }

    /** Whether a call under this lease that acquires that lock would wait for itself. */
    boolean blocks(LockClient asked, String name, LockKind wanted) {
        return isOf(asked, name) && kind == LockKind.READ && wanted == LockKind.WRITE && lease.isHeld();
    }

    private boolean isOf(LockClient asked, String name) {
        return client == asked && names.contains(name);
    }

    /** The lease of an outer call, lent to a call inside it, which cannot release it. */
    record BorrowedLease(Lease lender) implements Lease {

        @Override
        public String lockName() {
            return lender.lockName();
        }

        @Override
        public long fencingToken() {
            return lender.fencingToken();
        }

        @Override
        public boolean isHeld() {
            return lender.isHeld();
        }

        @Override
        public void assertHeld() {
            lender.assertHeld();
        }

        @Override
        public Duration remaining() {
            return lender.remaining();
        }

        @Override
        public boolean verify() {
            return lender.verify();
        }

        @Override
        public void extend(Duration lease) {
            lender.extend(lease);
        }

        @Override
        public void onLost(Consumer<LeaseLoss> callback) {
            lender.onLost(callback);
        }

        @Override
        public CompletionStage<Void> releaseAsync() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void close() {
            // The outer call releases it.
        }
    }
}

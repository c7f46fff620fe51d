package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import java.time.Duration;
import java.util.List;
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

    SharedLease(
            LockClient client,
            List<String> names,
            LockKind kind,
            Lease lease,
            boolean renewed,
            LockObservation observation) {
        this.client = client;
        this.names = names;
        this.kind = kind;
        this.lease = lease;
        this.renewed = renewed;
        this.observation = observation;
    }

    Lease lease() {
        return lease;
    }

    boolean renewed() {
        return renewed;
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

    /** The lease of an outer call, as a call inside it sees it: the inner call cannot release it. */
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

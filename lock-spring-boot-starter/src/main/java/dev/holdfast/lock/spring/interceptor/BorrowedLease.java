package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

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

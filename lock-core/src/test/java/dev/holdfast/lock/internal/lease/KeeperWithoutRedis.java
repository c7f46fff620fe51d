package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LeaseGuard;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.event.Counters;
import dev.holdfast.lock.internal.event.EventPublisher;
import dev.holdfast.lock.internal.event.LossLog;
import dev.holdfast.lock.internal.lease.HeldLease.LeaseKeeper;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Keeps leases on a virtual clock, for tests that play Redis. */
public abstract class KeeperWithoutRedis implements LeaseKeeper {

    protected final Counters counters = new Counters();

    /** Returns a table of leases that nobody listens to. */
    protected LeaseTable table(Timer timer, VirtualClock clock) {
        LossLog losses = new LossLog(timer, clock, System.Logger.Level.WARNING);
        return new LeaseTable(
                timer, new EventPublisher(List.of(), counters, losses, Background.SYSTEM), counters, clock);
    }

    @Override
    public LeaseGuard guard(HeldLease lease) {
        throw new UnsupportedOperationException("Guarded writes need a Redis");
    }

    @Override
    public CompletionStage<Boolean> verifyAsync(HeldLease lease) {
        return CompletableFuture.completedFuture(verify(lease));
    }

    @Override
    public void checkTime(String what, long nanos) {
        // Every time is allowed.
    }

    @Override
    public Executor callbacks() {
        return Runnable::run;
    }

    @Override
    public Duration releasePatience() {
        return Duration.ofSeconds(10);
    }
}

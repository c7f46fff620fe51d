package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Leases of a client without Redis, at a moment at which the time stands still. Their renewals are only written down. */
public final class LeasesByHand implements LeaseKeeper {

    private static final long LEASE = Duration.ofSeconds(30).toNanos();
    private static final LeaseTerms TERMS =
            new LeaseTerms(LEASE, true, 0, LeaseTerms.NO_LIMIT, false, false, Thread.currentThread());

    public final TasksByHand tasks = new TasksByHand();
    final Queue<HeldLease> renewed = new ConcurrentLinkedQueue<>();
    private final Timer timer = Timer.on(tasks);
    private final Ticker ticker = () -> LEASE;
    private final Counters counters = new Counters();
    private final EventPublisher events = new EventPublisher(
            List.of(), counters, new LossLog(timer, ticker), new CallbackExecutor("by-hand", ticker), Runnable::run);
    private final Watchdog watchdog = new Watchdog(timer, events, counters, ticker);
    private final AtomicInteger lastNumber = new AtomicInteger();
    private final Consumer<HeldLease> onRelease;

    public LeasesByHand(Consumer<HeldLease> onRelease) {
        this.onRelease = onRelease;
    }

    public Timer timer() {
        return timer;
    }

    public Ticker ticker() {
        return ticker;
    }

    public Counters counters() {
        return counters;
    }

    public LeaseTerms terms() {
        return TERMS;
    }

    RenewalSchedule schedule() {
        return new RenewalSchedule(timer, ticker, events, counters);
    }

    public Grant grant() {
        int number = lastNumber.incrementAndGet();
        return new Grant("lock", "lock", "owner:" + number, 64L * number, 64, LEASE, LEASE);
    }

    /** A lease that no schedule knows yet. */
    HeldLease lease() {
        return new HeldLease(grant(), TERMS, LEASE, this, watchdog, events, ticker);
    }

    public HeldLease hold(Grant grant) {
        return watchdog.hold(grant, TERMS, LEASE, this);
    }

    @Override
    public void release(HeldLease lease) {
        onRelease.accept(lease);
    }

    @Override
    public Renewals renewals() {
        return (due, report) -> renewed.addAll(due);
    }

    @Override
    public void lost(HeldLease lease, LossCause cause) {
        throw new AssertionError("Nothing is lost here, but " + cause);
    }

    @Override
    public CompletionStage<Boolean> verify(HeldLease lease) {
        return CompletableFuture.completedFuture(true);
    }

    @Override
    public CompletionStage<Boolean> extend(HeldLease lease, Duration length) {
        return CompletableFuture.completedFuture(true);
    }

    @Override
    public <T> T await(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }

    @Override
    public LockKind kind() {
        return LockKind.REENTRANT;
    }

    @Override
    public Duration releasePatience() {
        return Duration.ofSeconds(1);
    }
}

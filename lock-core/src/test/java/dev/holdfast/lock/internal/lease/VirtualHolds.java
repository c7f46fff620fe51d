package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.lease.HeldLease.Renewals;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A watchdog on a virtual clock, and keys that live for as long as they were told to. A link that is cut loses every command; a slow one delays
 * answers.
 */
final class VirtualHolds extends KeeperWithoutRedis implements Renewals, AutoCloseable {

    final VirtualClock time = new VirtualClock();
    final VirtualClock.Scheduler scheduler = time.scheduler();
    final List<LeaseLoss> losses = new CopyOnWriteArrayList<>();
    final List<Long> renewedAt = new CopyOnWriteArrayList<>();
    /** How many leases were renewed together, of each renewal. */
    final List<Integer> batches = new CopyOnWriteArrayList<>();

    volatile boolean cut;
    /** How long the answer to a renewal takes. */
    volatile Duration latency = Duration.ZERO;
    /** How long a release takes to reach Redis. */
    volatile Duration releaseLatency = Duration.ZERO;

    private final Map<String, Long> keys = new ConcurrentHashMap<>();
    final Timer timer = Timer.on(scheduler, time);
    final LeaseTable table = table(timer, time);
    private final AtomicInteger lastNumber = new AtomicInteger();

    static LeaseTerms renewed(Duration lease) {
        return terms(lease, true, LeaseTerms.NO_LIMIT);
    }

    static LeaseTerms fixed(Duration lease) {
        return terms(lease, false, LeaseTerms.NO_LIMIT);
    }

    static LeaseTerms atMost(Duration maxHold, Duration lease) {
        return terms(lease, true, maxHold.toNanos());
    }

    static LeaseTerms fixedAtMost(Duration maxHold, Duration lease) {
        return terms(lease, false, maxHold.toNanos());
    }

    private static LeaseTerms terms(Duration lease, boolean renewed, long maxHoldNanos) {
        return new LeaseTerms(lease.toNanos(), renewed, 0, maxHoldNanos, false, false, Thread.currentThread(), null);
    }

    static LeaseTerms boundTo(Thread thread, Duration lease, boolean interruptOnLoss) {
        return new LeaseTerms(lease.toNanos(), true, 0, LeaseTerms.NO_LIMIT, true, interruptOnLoss, thread, null);
    }

    HeldLease hold(LeaseTerms terms) {
        return hold(terms, Duration.ofNanos(terms.leaseNanos()));
    }

    /** A lease on a grant whose key lives for a shorter time than the lease that its holder wants. */
    HeldLease hold(LeaseTerms terms, Duration granted) {
        int number = lastNumber.incrementAndGet();
        String key = "lock-" + number;
        keys.put(key, time.now() + granted.toNanos());
        Grant grant = new Grant(key, key, "owner", 1024L * number, 1, time.now(), granted.toNanos());
        HeldLease lease = table.hold(grant, terms, time.now(), null, this);
        lease.begun();
        lease.onLost(losses::add);
        return lease;
    }

    /** How long the lock stays taken if nobody does anything; negative if it is free. */
    Duration livesFor(HeldLease lease) {
        return Duration.ofNanos(keys.getOrDefault(lease.grant().key(), 0L) - time.now());
    }

    void loseKey(HeldLease lease) {
        keys.remove(lease.grant().key());
    }

    private boolean live(Grant grant, long leaseNanos) {
        return keys.computeIfPresent(
                        grant.key(),
                        (key, end) -> end - time.now() <= 0 ? null : Math.max(end, time.now() + leaseNanos))
                != null;
    }

    @Override
    public void renew(List<HeldLease> due) {
        batches.add(due.size());
        due.forEach(this::renew);
    }

    private void renew(HeldLease lease) {
        long asked = lease.renewalNanos();
        long sentAt = time.now();
        if (cut) {
            answer(() -> lease.renewalFailed(new IllegalStateException("cut")));
        } else if (live(lease.grant(), asked)) {
            renewedAt.add(sentAt);
            answer(() -> lease.renewalConfirmed(sentAt, asked));
        } else {
            answer(lease::gone);
        }
    }

    private void answer(Runnable report) {
        if (latency.isZero()) {
            report.run();
        } else {
            time.after(latency, report);
        }
    }

    @Override
    public boolean extend(HeldLease lease, Duration length) {
        return live(lease.grant(), length.toNanos()) && lease.grant().confirm(time.now(), length.toNanos(), time.now());
    }

    @Override
    public boolean verify(HeldLease lease) {
        return live(lease.grant(), 1);
    }

    @Override
    public void release(HeldLease lease) {
        Runnable executed = () ->
                lease.freed(live(lease.grant(), 0) && keys.remove(lease.grant().key()) != null, false);
        if (releaseLatency.isZero()) {
            executed.run();
        } else {
            time.after(releaseLatency, executed);
        }
    }

    @Override
    public void lost(HeldLease lease, LossCause cause) {
        // What is left in Redis runs out.
    }

    @Override
    public LockKind kind() {
        return LockKind.REENTRANT;
    }

    @Override
    public Renewals renewals() {
        return this;
    }

    /** The one loss so far, or null. */
    @Nullable
    LossCause lossCause() {
        return losses.isEmpty() ? null : losses.get(0).cause();
    }

    @Override
    public void close() {
        table.close();
    }
}

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Releases in Redis what is given up here, also what comes there only later; and knows when all of it is done. */
public final class PendingReleases {

    private final Timer timer;
    private final Ticker ticker;
    private final Set<PendingRelease> underWay = ConcurrentHashMap.newKeySet();
    private final Map<String, Late> late = new ConcurrentHashMap<>();
    private final AtomicInteger expected = new AtomicInteger();
    private final CompletableFuture<Void> arrived = new CompletableFuture<>();
    private volatile boolean closing;

    public PendingReleases(Timer timer, Ticker ticker) {
        this.timer = timer;
        this.ticker = ticker;
    }

    /**
     * Releases a grant.
     *
     * @param keepUntil until when the lock must stay taken
     * @param leaseEnd when the lease will have run out in Redis at the latest
     * @param lease the lease to release; null if the grant has no lease
     * @return what Redis said; says that the lock was the owner's where nobody can know
     */
    CompletableFuture<Boolean> deliver(
            LockEngine lock, String owner, long keepUntil, long leaseEnd, @Nullable HeldLease lease) {
        PendingRelease release = start(lock, owner, keepUntil, leaseEnd, lease, null);
        Late expectedLate = late.isEmpty() ? null : late.remove(owner);
        if (expectedLate != null) {
            release.whenComplete((released, failure) ->
                    start(lock, owner, keepUntil, expectedLate.leaseEnd, null, expectedLate.interruptionsBefore));
        }
        return release;
    }

    /**
     * An owner that goes on asking under the same name has an acquisition without an answer. However the others end: once the owner is released,
     * this one is taken back.
     *
     * @param leaseEnd when its lease will have run out in Redis at the latest
     * @param interruptionsBefore the gateway's count when it was sent
     */
    void mayComeLate(String owner, long leaseEnd, long interruptionsBefore) {
        late.merge(
                owner,
                new Late(leaseEnd, interruptionsBefore),
                (before, now) -> new Late(now.leaseEnd, before.interruptionsBefore));
        timer.after(
                leaseEnd - ticker.now(),
                () -> late.computeIfPresent(
                        owner, (name, present) -> present.leaseEnd - ticker.now() <= 0 ? null : present));
    }

    private PendingRelease start(
            LockEngine lock,
            String owner,
            long keepUntil,
            long leaseEnd,
            @Nullable HeldLease lease,
            @Nullable Long interruptionsBefore) {
        PendingRelease release = new PendingRelease(this, lock, owner, keepUntil, leaseEnd, lease, interruptionsBefore);
        underWay.add(release);
        release.send();
        return release;
    }

    void ended(PendingRelease release) {
        underWay.remove(release);
    }

    /** A question is under way that may bring more to release; {@link #answerCame} follows. */
    void expectAnswer() {
        expected.incrementAndGet();
    }

    void answerCame() {
        if (expected.decrementAndGet() == 0 && closing) {
            arrived.complete(null);
        }
    }

    /** The same for anything that may bring more to release. */
    void expect(CompletableFuture<?> answer) {
        expectAnswer();
        answer.whenComplete((value, failure) -> answerCame());
    }

    /** Completes when what was expected has come; from now on no acquisition without an answer is waited for. */
    CompletableFuture<Void> arrived() {
        closing = true;
        if (expected.get() == 0) {
            arrived.complete(null);
        }
        return arrived;
    }

    /** Completes when every release that is under way now has come to its end. */
    public CompletableFuture<Void> settled() {
        return CompletableFuture.allOf(underWay.toArray(CompletableFuture<?>[]::new));
    }

    /** Ends what is still under way: nothing will be repeated any more, and the leases run out by themselves. */
    void abandon() {
        underWay.forEach(release -> release.end(true));
    }

    boolean isClosing() {
        return closing;
    }

    private record Late(long leaseEnd, long interruptionsBefore) {}
}

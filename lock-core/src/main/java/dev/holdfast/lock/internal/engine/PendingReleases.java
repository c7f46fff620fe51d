package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.engine.ReleaseRetry.Doubt;
import dev.holdfast.lock.internal.engine.ReleaseRetry.Release;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Sees to it that what is given up is given up in Redis too, also what comes there only later; and knows when all of it is done. */
public final class PendingReleases {

    private final RedisGateway gateway;
    private final Timer timer;
    private final Ticker ticker;
    private final LongSupplier highestDrawn;
    private final Set<ReleaseRetry> underWay = ConcurrentHashMap.newKeySet();
    private final Set<Question> expected = ConcurrentHashMap.newKeySet();
    private final Map<String, Late> late = new ConcurrentHashMap<>();
    private volatile boolean closing;

    public PendingReleases(RedisGateway gateway, Timer timer, Ticker ticker, LongSupplier highestDrawn) {
        this.gateway = gateway;
        this.timer = timer;
        this.ticker = ticker;
        this.highestDrawn = highestDrawn;
    }

    /**
     * Releases a grant.
     *
     * @param keepUntil until when the lock must stay taken
     * @param leaseEnd when the lease will have run out in Redis at the latest
     * @return what Redis said; says that the lock was the owner's where nobody can know
     */
    CompletableFuture<Boolean> deliver(LockProtocol protocol, String key, String owner, long keepUntil, long leaseEnd) {
        CompletableFuture<Boolean> delivered = start(new Release(protocol, key, owner, keepUntil, leaseEnd), null);
        Late expectedLate = late.remove(owner);
        if (expectedLate != null) {
            Release again = new Release(protocol, key, owner, keepUntil, expectedLate.leaseEnd);
            Doubt doubt = new Doubt(expectedLate.interruptionsBefore, true);
            delivered.whenComplete((released, failure) -> start(again, doubt));
        }
        return delivered;
    }

    /**
     * An owner that goes on asking under the same name has an acquisition without an answer. Whatever becomes of the others: once the owner is
     * released, this one is taken back.
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

    /**
     * Takes back an acquisition whose outcome is unknown.
     *
     * @param interruptionsBefore the gateway's count when the acquisition was sent
     */
    void takeBack(LockProtocol protocol, String key, String owner, long leaseEnd, long interruptionsBefore) {
        start(new Release(protocol, key, owner, ticker.now(), leaseEnd), new Doubt(interruptionsBefore, false));
    }

    private CompletableFuture<Boolean> start(Release release, @Nullable Doubt doubt) {
        ReleaseRetry delivery = new ReleaseRetry(release, doubt, gateway, timer, ticker, () -> closing, highestDrawn);
        underWay.add(delivery);
        delivery.result().whenComplete((released, failure) -> underWay.remove(delivery));
        delivery.send();
        return delivery.result();
    }

    /** Something is under way that may bring more to release. */
    void expect(CompletableFuture<?> answer) {
        Question question = new Question(answer);
        expected.add(question);
        answer.whenComplete((value, failure) -> expected.remove(question));
    }

    /** Completes when what was expected has come; from now on no acquisition without an answer is waited for. */
    CompletableFuture<Void> arrived() {
        closing = true;
        return all(expected.stream().map(question -> question.answer));
    }

    /** Completes when every release that is under way now has come to its end. */
    public CompletableFuture<Void> settled() {
        return all(underWay.stream().map(ReleaseRetry::result));
    }

    /** Ends what is still under way: nothing will be repeated any more, and the leases run out by themselves. */
    void abandon() {
        underWay.forEach(delivery -> delivery.end(true));
    }

    private static CompletableFuture<Void> all(Stream<? extends CompletableFuture<?>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new));
    }

    private record Late(long leaseEnd, long interruptionsBefore) {}

    private static final class Question {
        final CompletableFuture<?> answer;

        Question(CompletableFuture<?> answer) {
            this.answer = answer;
        }
    }
}

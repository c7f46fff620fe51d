package dev.holdfast.lock.redis;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.connection.RedisFailure;
import dev.holdfast.lock.connection.RedisGateway;
import dev.holdfast.lock.lease.Ticker;
import dev.holdfast.lock.lease.Timer;
import dev.holdfast.lock.redis.LockProtocol.Released;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that what is given up is given up in Redis too: repeats a release until Redis has answered, or the lease has run out by itself.
 *
 * <p>"Not yours" has three meanings. After an earlier try without an answer: that one did it. After an acquisition without an answer, over a
 * connection that has ended since: perhaps the acquisition is yet to come, so ask again later. Otherwise: the lock was lost.
 */
final class Releases {

    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);

    private static final System.Logger LOG = System.getLogger("dev.holdfast.lock");

    private final RedisGateway gateway;
    private final Timer timer;
    private final Ticker ticker;
    private final Set<Delivery> underWay = ConcurrentHashMap.newKeySet();
    private final Set<Question> expected = ConcurrentHashMap.newKeySet();
    private final Map<String, Late> late = new ConcurrentHashMap<>();
    private volatile boolean closing;

    Releases(RedisGateway gateway, Timer timer, Ticker ticker) {
        this.gateway = gateway;
        this.timer = timer;
        this.ticker = ticker;
    }

    /**
     * Releases a grant.
     *
     * @param keepUntil until when the lock must stay taken
     * @param leaseEnd when the lease will have run out in Redis at the latest
     * @return what Redis said; says that the lock was the owner's where nobody can know
     */
    CompletableFuture<Released> deliver(
            LockProtocol protocol, String key, String owner, long keepUntil, long leaseEnd) {
        CompletableFuture<Released> delivered =
                start(new Delivery(protocol, key, owner, keepUntil, leaseEnd, null, false));
        Late expectedLate = late.remove(owner);
        if (expectedLate != null) {
            delivered.whenComplete((released, failure) -> start(new Delivery(
                    protocol, key, owner, keepUntil, expectedLate.leaseEnd, expectedLate.interruptionsBefore, true)));
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
        start(new Delivery(protocol, key, owner, ticker.now(), leaseEnd, interruptionsBefore, false));
    }

    private CompletableFuture<Released> start(Delivery delivery) {
        underWay.add(delivery);
        delivery.send();
        return delivery.result;
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
    CompletableFuture<Void> settled() {
        return all(underWay.stream().map(delivery -> delivery.result));
    }

    /** Ends what is still under way: nothing will be repeated any more, and the leases run out by themselves. */
    void abandon() {
        underWay.forEach(delivery -> delivery.end(new Released(true, 0)));
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

    private final class Delivery {

        final CompletableFuture<Released> result = new CompletableFuture<>();
        private final LockProtocol protocol;
        private final String key;
        private final String owner;
        private final long keepUntil;
        private final long leaseEnd;
        private final @Nullable Long acquiredAtInterruption;
        /** One may have been answered, or taken back, while another is still on its way. */
        private final boolean askedOften;

        private boolean unanswered;
        private long pause = FIRST_PAUSE;

        Delivery(
                LockProtocol protocol,
                String key,
                String owner,
                long keepUntil,
                long leaseEnd,
                @Nullable Long acquiredAtInterruption,
                boolean askedOften) {
            this.protocol = protocol;
            this.key = key;
            this.owner = owner;
            this.keepUntil = keepUntil;
            this.leaseEnd = leaseEnd;
            this.acquiredAtInterruption = acquiredAtInterruption;
            this.askedOften = askedOften;
        }

        void send() {
            // Rounded up: nobody gets in before a minimum hold is over.
            long keepMillis = Math.max(0, TimeUnit.NANOSECONDS.toMillis(keepUntil - ticker.now() + 999_999));
            protocol.release(key, owner, keepMillis).whenComplete(this::answered);
        }

        private void answered(@Nullable Released answer, @Nullable Throwable failure) {
            if (answer == null) {
                unanswered |= RedisFailures.of(failure).isOutcomeUnknown();
                if (RedisFailures.of(failure).kind() == RedisFailure.Kind.REFUSED) {
                    fail(RedisFailures.of(failure));
                } else {
                    again();
                }
            } else if (answer.wasOwner() && !(askedOften && acquisitionMayYetCome())) {
                end(answer);
            } else if (acquisitionMayYetCome()) {
                again();
            } else {
                end(new Released(unanswered, 0));
            }
        }

        private boolean acquisitionMayYetCome() {
            return acquiredAtInterruption != null && acquiredAtInterruption != gateway.interruptions();
        }

        private void again() {
            if (leaseEnd - ticker.now() <= 0 || (closing && acquiredAtInterruption != null)) {
                end(new Released(true, 0));
                return;
            }
            timer.after(pause, this::send);
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        }

        private void end(Released released) {
            underWay.remove(this);
            result.complete(released);
        }

        private void fail(RedisFailure failure) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Releasing ''{0}'' (owner {1}) was {2}. It stays taken until its lease runs out",
                    LogText.escape(key),
                    owner,
                    failure.getMessage());
            underWay.remove(this);
            result.completeExceptionally(failure);
        }
    }
}

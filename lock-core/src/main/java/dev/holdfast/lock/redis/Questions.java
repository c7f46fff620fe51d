package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.internal.waiting.Waiter;
import dev.holdfast.lock.redis.LockProtocol.Question;
import dev.holdfast.lock.redis.LockProtocol.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Asks Redis for one lock, and sorts what comes back: what a waiter can use, and what is left over for nobody. */
final class Questions {

    /** A replicated acquisition has a connection of its own: the release that takes it back may overtake it. */
    private static final long IN_NO_ORDER = -1;

    /** Sees to what a question brings that nobody can use. */
    interface Leftovers {

        /**
         * Nobody knows whether Redis has granted the question, or will.
         *
         * @param leaseEnd when its lease will have run out in Redis at the latest
         * @param interruptionsBefore the gateway's count when it was sent
         */
        void mayComeLate(String owner, RedisFailure failure, long leaseEnd, long interruptionsBefore);

        /** The grant came too late, or for a client that is closed. */
        void giveBack(Grant grant);
    }

    private final String lockName;
    private final String key;
    private final RedisKind kind;
    private final ClientParts parts;

    Questions(String lockName, String key, RedisKind kind, ClientParts parts) {
        this.lockName = lockName;
        this.key = key;
        this.kind = kind;
        this.parts = parts;
    }

    /** Asks once, under that name. Never fails: what goes wrong is an answer, too. */
    CompletableFuture<Answer> ask(String owner, Waiter waiter, Leftovers leftovers) {
        LeaseTerms terms = waiter.terms();
        long highestDrawn = FencingTokens.drawn(parts.highestToken().get());
        long interruptions = interruptions();
        CompletableFuture<Answer> answer = kind.protocol()
                .acquire(new Question(key, owner, terms, highestDrawn, waiter.waits(), waiter.beside()))
                .handle((reply, thrown) -> {
                    if (thrown != null) {
                        RedisFailure failure = RedisFailures.of(thrown);
                        if (failure.isOutcomeUnknown()) {
                            long leaseEnd = parts.ticker().now() + terms.ttlNanos();
                            leftovers.mayComeLate(owner, failure, leaseEnd, interruptions);
                        }
                        return unknown(failure);
                    }
                    if (reply instanceof Reply.Granted || waiter.waits()) {
                        parts.names().keep();
                    }
                    return reply instanceof Reply.Granted granted
                            ? usable(grant(granted, owner, terms), terms, leftovers)
                            : busy((Reply.Busy) reply);
                })
                .toCompletableFuture();
        parts.releases().expect(answer);
        return answer;
    }

    /** Tells later whether an acquisition that is sent now must have been executed before what is sent then. */
    private long interruptions() {
        return parts.settings().minReplicas() == 0 ? parts.gateway().interruptions() : IN_NO_ORDER;
    }

    private Answer unknown(RedisFailure failure) {
        return new Answer.Unknown(RedisFailures.unavailable(lockName, failure), failure.isPassing());
    }

    private Grant grant(Reply.Granted reply, String owner, LeaseTerms terms) {
        Grant grant =
                new Grant(lockName, key, owner, reply.firstToken(), kind.tokens(), reply.sentAt(), terms.leaseNanos());
        parts.highestToken().accumulateAndGet(grant.lastToken(), Math::max);
        return grant;
    }

    private Answer usable(Grant grant, LeaseTerms terms, Leftovers leftovers) {
        if (grant.validUntil() - parts.ticker().now() <= 0) {
            leftovers.giveBack(grant);
            return unknown(RedisFailure.tooLate("answered only after the " + terms + " was over"));
        }
        if (parts.closed().get()) {
            // Everybody has been told so: nobody is left to take it.
            leftovers.giveBack(grant);
            return new Answer.Unknown(RedisFailures.closed(lockName), false);
        }
        return new Answer.Granted(grant);
    }

    private static Answer busy(Reply.Busy reply) {
        long left = reply.retryAfterMillis();
        long retryAfter = left < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(left);
        return new Answer.Busy(retryAfter, reply.holder().isEmpty() ? null : reply.holder(), reply.which());
    }
}

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockProtocol.Question;
import dev.holdfast.lock.internal.protocol.LockProtocol.Reply.Busy;
import dev.holdfast.lock.internal.protocol.LockProtocol.Reply.Granted;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.RedisKind;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Asks Redis for one lock, and sorts what comes back: what a waiter can use, and what is left over for nobody. */
final class Questions {

    /** A replicated acquisition has a connection of its own: the release that takes it back may overtake it. */
    private static final long IN_NO_ORDER = -1;

    /** Hears of a question's answer before the room does. */
    interface Asker {

        /** Another owner has the lock. */
        void refused(Busy busy, boolean waits);

        /**
         * Nobody knows whether Redis has granted the question, or will.
         *
         * @param leaseEnd when its lease will have run out in Redis at the latest
         * @param interruptionsBefore the gateway's count when it was sent
         */
        void mayComeLate(RedisFailure failure, long leaseEnd, long interruptionsBefore);

        /** The grant came too late, or for a client that is closed. */
        void tooLate(Grant grant);
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
    CompletableFuture<Answer> ask(String owner, Waiter waiter, boolean waits, Asker asker) {
        LeaseTerms terms = waiter.terms();
        long highestDrawn = FencingTokens.drawn(parts.highestToken().get());
        long interruptions = interruptions();
        CompletableFuture<Answer> answer = kind.protocol()
                .acquire(new Question(
                        key, owner, terms, highestDrawn, waits ? parts.rooms().patienceMillis() : 0, waiter.beside()))
                .handle((reply, thrown) -> {
                    if (thrown != null) {
                        RedisFailure failure = RedisFailure.of(thrown);
                        if (failure.isOutcomeUnknown()) {
                            long leaseEnd = parts.ticker().now() + terms.ttlNanos();
                            asker.mayComeLate(failure, leaseEnd, interruptions);
                        }
                        return unknown(failure);
                    }
                    if (reply instanceof Granted || waiter.waits()) {
                        parts.names().keep();
                    }
                    if (reply instanceof Granted granted) {
                        return usable(grant(granted, owner, terms), terms, asker);
                    }
                    Busy busy = (Busy) reply;
                    asker.refused(busy, waits);
                    return busy(busy);
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

    private Grant grant(Granted reply, String owner, LeaseTerms terms) {
        long lease = reply.leftMillis() == Granted.AS_ASKED
                ? terms.leaseNanos()
                : TimeUnit.MILLISECONDS.toNanos(reply.leftMillis());
        Grant grant = new Grant(lockName, key, owner, reply.firstToken(), kind.tokens(), reply.sentAt(), lease);
        parts.highestToken().accumulateAndGet(grant.lastToken(), Math::max);
        return grant;
    }

    private Answer usable(Grant grant, LeaseTerms terms, Asker asker) {
        if (grant.validUntil() - parts.ticker().now() <= 0) {
            asker.tooLate(grant);
            return unknown(RedisFailure.tooLate("answered only after the " + terms + " was over"));
        }
        if (parts.closed().get()) {
            // Everybody has been told so: nobody is left to take it.
            asker.tooLate(grant);
            return new Answer.Unknown(RedisFailures.closed(lockName), false);
        }
        return new Answer.Granted(grant);
    }

    private static Answer busy(Busy reply) {
        long left = reply.retryAfterMillis();
        long retryAfter = left < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(left);
        return new Answer.Busy(
                retryAfter, reply.holder().isEmpty() ? null : reply.holder(), reply.which(), reply.nearHead());
    }
}

package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.internal.waiting.GrantSource;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One acquisition's place in a fair lock's queue. It asks under one owner id for as long as it waits, since that id is its place. So a
 * question whose outcome is unknown is not taken back but asked again: it finds the place, or the grant, that the lost one brought.
 *
 * <p>Used by one waiting room, behind whose mailbox everything here runs, but for what completes an answer; that has ended before the room
 * asks again.
 */
final class FairPlace implements GrantSource, Questions.Leftovers {

    /** A waiter that lives is heard of twice before anybody can take it for dead. */
    private static final long LONGEST_SLEEP = FairProtocol.PATIENCE.dividedBy(2).toNanos();

    private final String key;
    private final String owner;
    private final LockProtocol protocol;
    private final Questions questions;
    private final GrantDesk desk;
    private final ClientParts parts;

    private CompletableFuture<Answer> lastAnswer = CompletableFuture.completedFuture(null);

    /** Whether Redis may have the owner in the queue, or as the holder. */
    private volatile boolean known;

    FairPlace(String key, String owner, LockProtocol protocol, Questions questions, GrantDesk desk, ClientParts parts) {
        this.key = key;
        this.owner = owner;
        this.protocol = protocol;
        this.questions = questions;
        this.desk = desk;
        this.parts = parts;
    }

    @Override
    public String lockName() {
        return desk.lockName();
    }

    @Override
    public LockKind kind() {
        return desk.kind();
    }

    @Override
    public CompletionStage<Answer> ask(Waiter waiter) {
        lastAnswer = questions.ask(owner, waiter, this).thenApply(answer -> {
            known |= answer instanceof Answer.Granted || (answer instanceof Answer.Busy && waiter.waits());
            return answer;
        });
        return lastAnswer;
    }

    @Override
    public void mayComeLate(String owner, RedisFailure failure, long leaseEnd, long interruptionsBefore) {
        known = true;
        parts.releases().mayComeLate(owner, leaseEnd, interruptionsBefore);
    }

    /** Left to the farewell. Until then the next question, under the same name, finds it and prolongs it. */
    @Override
    public void giveBack(Grant grant) {
        known = true;
    }

    /** Nobody else ever has this place. What is on its way is awaited: sent twice, it may overtake the farewell. */
    @Override
    public void leftEmptyHanded(Waiter waiter) {
        CompletableFuture<?> farewell = lastAnswer.thenCompose(answer -> {
            long now = parts.ticker().now();
            return known
                    ? parts.releases().deliver(protocol, key, owner, now, now + FairProtocol.PATIENCE.toNanos())
                    : CompletableFuture.completedFuture(null);
        });
        parts.releases().expect(farewell);
    }

    @Override
    public CompletionStage<Boolean> fit(Grant grant, LeaseTerms terms) {
        return CompletableFuture.completedFuture(false);
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean passedOn) {
        return desk.hold(grant, waiter, passedOn);
    }

    @Override
    public RuntimeException closed() {
        return desk.closed();
    }

    @Override
    public List<String> channels() {
        return protocol.channels(key, owner);
    }

    @Override
    public long longestSleepNanos() {
        return LONGEST_SLEEP;
    }
}

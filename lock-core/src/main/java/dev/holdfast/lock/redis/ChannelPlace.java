package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.internal.waiting.GrantSource;
import dev.holdfast.lock.internal.waiting.ReleaseSignals.Subscription;
import dev.holdfast.lock.internal.waiting.Waiter;
import dev.holdfast.lock.redis.LockProtocol.Reply.Busy;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The source of a room for one side of a read/write lock, whose releases are heard by all who wait. */
final class ChannelPlace implements GrantSource {

    /** A question under an owner id of its own. */
    private final class Question implements Questions.Asker {
        private final String owner;

        Question(String owner) {
            this.owner = owner;
        }

        @Override
        public void refused(Busy busy, boolean waits) {
            refusedOnce |= waits;
        }

        @Override
        public void mayComeLate(RedisFailure failure, long leaseEnd, long interruptionsBefore) {
            parts.events().takenBack(lockName(), kind(), owner, failure);
            parts.releases().takeBack(desk.protocol(), key, owner, leaseEnd, interruptionsBefore);
        }

        @Override
        public void tooLate(Grant grant) {
            giveBack(grant);
        }
    }

    private final String key;
    private final Questions questions;
    private final GrantDesk desk;
    private final ClientParts parts;
    private Runnable onSignal = () -> {};
    private volatile boolean refusedOnce;
    private @Nullable Subscription subscription;

    ChannelPlace(String key, Questions questions, GrantDesk desk, ClientParts parts) {
        this.key = key;
        this.questions = questions;
        this.desk = desk;
        this.parts = parts;
    }

    @Override
    public void open(Runnable signal) {
        onSignal = signal;
    }

    @Override
    public CompletionStage<Answer> ask(Waiter waiter) {
        String owner = parts.owners().next(waiter.terms().thread(), 0);
        return questions.ask(owner, waiter, new Question(owner));
    }

    @Override
    public boolean isInLine() {
        return true;
    }

    @Override
    public boolean isShared() {
        return kind() == LockKind.READ;
    }

    @Override
    public @Nullable CompletionStage<Void> listen(Answer.Busy refusal) {
        if (subscription != null) {
            return null;
        }
        subscription = parts.gateway().signals().subscribe(desk.protocol().channel(key), message -> onSignal.run());
        return subscription.ready();
    }

    @Override
    public boolean isListening() {
        return subscription != null;
    }

    @Override
    public void leaveLine() {
        if (refusedOnce && parts.rooms().waiters(desk.roomKey()) == 0) {
            refusedOnce = false;
            desk.protocol().nobodyWaits(key);
        }
    }

    @Override
    public void close() {
        if (subscription != null) {
            subscription.cancel();
            subscription = null;
        }
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
    public CompletionStage<Boolean> fit(Grant grant, LeaseTerms terms) {
        return desk.fit(grant, terms);
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean passedOn) {
        return desk.hold(grant, waiter, passedOn);
    }

    @Override
    public void giveBack(Grant grant) {
        desk.giveBack(grant);
    }

    @Override
    public RuntimeException closed() {
        return RedisFailures.closed(lockName());
    }
}

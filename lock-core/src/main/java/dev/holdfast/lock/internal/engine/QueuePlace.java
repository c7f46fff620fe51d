package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.internal.waiting.GrantSource;
import dev.holdfast.lock.internal.waiting.ReleaseSignals.Subscription;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A room's place in the queue of its lock: one {@link AcquireAttempt} after the other, each until a grant has its owner id or nobody waits here
 * any more. A release elsewhere grants the lock to the place, and says so in a message to this client.
 */
final class QueuePlace implements GrantSource {

    /** For how long Redisson's channel is kept, so that a busy lock does not subscribe and unsubscribe each time. */
    private static final long LINGER = TimeUnit.SECONDS.toNanos(1);

    private final LockEngine lock;

    private final Receiver room;

    private volatile @Nullable AcquireAttempt attempt;

    /** Whether the place was subscribed before its last request was sent. A break since then is signaled when it ends. */
    private boolean subscribed;

    private @Nullable Subscription foreign;

    QueuePlace(LockEngine lock, Receiver room) {
        this.lock = lock;
        this.room = room;
    }

    @Override
    public void ask(Waiter waiter) {
        AcquireAttempt present = attempt;
        AcquireAttempt asked = present == null ? new AcquireAttempt(lock, this, waiter.terms()) : present;
        attempt = asked;
        subscribed = waiter.waits() && asked.isListening();
        asked.ask(waiter, waiter.waits());
    }

    @Override
    public void askAside(Waiter waiter) {
        AcquireAttempt aside = new AcquireAttempt(lock, this, waiter.terms());
        aside.ask(waiter, false);
        aside.giveUp();
    }

    /** Before the room has the answer, so that it finds no place whose owner id is a grant's. */
    void answered(AcquireAttempt asked, Waiter waiter, Answer answer) {
        if (answer instanceof Answer.Granted) {
            end(asked);
        }
        room.answered(waiter, answer);
    }

    /** A message says that asking may help now, or that a release has made a grant. */
    void signaled() {
        room.signaled();
    }

    /** Its owner id is a grant's from now on. */
    private void end(AcquireAttempt served) {
        served.stopListening();
        if (attempt == served) {
            attempt = null;
        }
    }

    @Override
    public Optional<Grant> takeGrant() {
        AcquireAttempt present = attempt;
        Grant grant = present == null ? null : present.takeGrant();
        if (present == null || grant == null) {
            return Optional.empty();
        }
        end(present);
        return Optional.of(grant);
    }

    @Override
    public boolean isInQueue() {
        AcquireAttempt present = attempt;
        return present != null && present.isInQueue();
    }

    @Override
    public @Nullable CompletionStage<Void> listen(Answer.Busy refusal) {
        AcquireAttempt present = attempt;
        if (!refusal.besideRedisson()) {
            close();
        } else if (foreign == null && present != null) {
            String taken = refusal.takenKey() == null ? lock.key() : refusal.takenKey();
            foreign = lock.client
                    .gateway
                    .signals()
                    .subscribe(lock.protocol.channel(taken, present.owner()), null, message -> signaled());
            return foreign.ready();
        }
        return present == null || subscribed ? null : present.listen();
    }

    @Override
    public boolean isSubscribed() {
        AcquireAttempt present = attempt;
        return present == null || present.isSubscribed();
    }

    @Override
    public void leaveQueue() {
        AcquireAttempt left = attempt;
        if (left != null) {
            attempt = null;
            left.stopListening();
            left.giveUp();
        }
    }

    @Override
    public void close() {
        if (foreign != null) {
            // A fair lock has such a channel for each owner.
            foreign.cancel(lock.traits().isInOrder() ? 0 : LINGER);
            foreign = null;
        }
    }
}

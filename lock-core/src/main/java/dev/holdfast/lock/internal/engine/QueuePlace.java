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
 * The place of a room in the queue of its lock. It makes one {@link AcquireAttempt} after another. Each attempt lasts until a grant has its owner id
 * or the room has no waiters any more. A release elsewhere can grant the lock to the place, and notifies this client by a message.
 */
final class QueuePlace implements GrantSource {

    /** How long the subscription to Redisson's channel is kept, so that a busy lock does not subscribe and unsubscribe each time. */
    private static final long LINGER = TimeUnit.SECONDS.toNanos(1);

    private final LockEngine lock;

    private final Receiver room;

    private volatile @Nullable AcquireAttempt attempt;

    /**
     * Whether this client was subscribed to the messages for the place when the last request was sent. If the subscription has been interrupted since
     * then, the room is signaled when it is restored.
     */
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

    /** Ends a granted attempt before the room receives the answer, so that the room finds no place whose owner id belongs to a grant. */
    void answered(AcquireAttempt asked, Waiter waiter, Answer answer) {
        if (answer instanceof Answer.Granted) {
            end(asked);
        }
        room.answered(waiter, answer);
    }

    /** Called when a message says that another request may succeed, or that a release has made a grant. */
    void signaled() {
        room.signaled();
    }

    /** Ends an attempt whose owner id now belongs to a grant. */
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
            // A fair lock has a separate channel of Redisson for each owner, so it is not kept.
            foreign.cancel(lock.traits().isInOrder() ? 0 : LINGER);
            foreign = null;
        }
    }
}

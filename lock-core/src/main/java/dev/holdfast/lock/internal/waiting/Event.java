package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.lease.Grant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An event of a {@link WaitingRoom}. */
sealed interface Event {

    /** A caller has entered the room to acquire the lock. */
    record Entered(Waiter waiter) implements Event {}

    /** A waiter has given up. It has completed its own result. */
    record GaveUp(Waiter waiter) implements Event {}

    /** The wait of a waiter has ended. */
    record DeadlinePassed(Waiter waiter) implements Event {}

    /** The time limit has passed for an answer that was pending when a wait ended. */
    record LimitPassed(Waiter waiter) implements Event {}

    /** A waiter is refused. This is a separate event for each waiter, so that no thread notifies many waiters at once. */
    record Refused(Waiter waiter, @Nullable Answer answer) implements Event {}

    /** The answer to a request has arrived. */
    record Answered(Waiter waiter, Answer answer) implements Event {}

    /**
     * The attempt to extend an offered grant for a waiter has ended.
     *
     * @param fits whether the grant is now long enough
     * @param failure the failure, or null if Redis answered
     */
    record Adapted(
            Waiter waiter,
            Grant grant,
            Consumer<Boolean> outcome,
            boolean fits,
            @Nullable Throwable failure) implements Event {}

    /** A message has arrived: another request may succeed now, or a release elsewhere has granted the lock. */
    record Signaled() implements Event {

        static final Signaled SIGNALED = new Signaled();
    }

    /** A subscription is confirmed, so messages arrive from now on, or Redis has refused it. */
    record Subscribed(boolean refused) implements Event {}

    /** The alarm of a sleeping room has rung. */
    record AlarmRang() implements Event {

        static final AlarmRang ALARM_RANG = new AlarmRang();
    }

    /** A holder of this client has released the lock for other clients, or has lost it. */
    record ReleasedHere() implements Event {

        static final ReleasedHere RELEASED_HERE = new ReleasedHere();
    }

    /** A holder of this client releases the lock and offers to hand it over. */
    record Offered(Grant grant, Consumer<Boolean> outcome) implements Event {}

    /** A caller has asked for a list of the waiters. */
    record Listed(int most, long now, CompletableFuture<List<WaitingLock>> answer) implements Event {}

    /** The client is closing. */
    record Closing() implements Event {}
}

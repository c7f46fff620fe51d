package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.lease.Grant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What happens to a {@link WaitingRoom}. */
sealed interface Event {

    /** A caller wants the lock. */
    record Entered(Waiter waiter) implements Event {}

    /** A waiter has settled its own result. */
    record GaveUp(Waiter waiter) implements Event {}

    /** The wait of a waiter is over. */
    record DeadlinePassed(Waiter waiter) implements Event {}

    /** A request that was under way when a wait ended should have been answered by now. */
    record LimitPassed(Waiter waiter) implements Event {}

    /** A waiter is to learn that it does not get the lock. Posted, so that no thread tells all of many waiters. */
    record Refused(Waiter waiter, @Nullable Answer answer) implements Event {}

    /** The answer to a request. */
    record Answered(Waiter waiter, Answer answer) implements Event {}

    /**
     * An offered grant was to be made long enough for a waiter.
     *
     * @param fits whether it is
     * @param failure null if Redis answered
     */
    record Adapted(
            Waiter waiter,
            Grant grant,
            Consumer<Boolean> outcome,
            boolean fits,
            @Nullable Throwable failure) implements Event {}

    /** A message: asking may help now, or a release elsewhere has granted the lock. */
    record Signaled() implements Event {

        static final Signaled SIGNALED = new Signaled();
    }

    /** Messages arrive from now on, or Redis has refused to send any. */
    record Subscribed(boolean refused) implements Event {}

    /** The room has slept for long enough. */
    record AlarmRang(Sleep.Alarm alarm) implements Event {}

    /** A holder of this client released the lock for other clients, or lost it. */
    record ReleasedHere() implements Event {

        static final ReleasedHere RELEASED_HERE = new ReleasedHere();
    }

    /** A holder of this client releases the lock and can hand it over. */
    record Offered(Grant grant, Consumer<Boolean> outcome) implements Event {}

    /** Somebody wants to know who waits. */
    record Listed(int most, long now, CompletableFuture<List<WaitingLock>> answer) implements Event {}

    /** The client closes. */
    record Closing() implements Event {}
}

package dev.holdfast.lock.internal.waiting;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Watches the waits that last for long. */
public interface LongWaits {

    /** Called by the room of a lock with the waiters that have waited for ten seconds, or for ten seconds more, and are still refused. */
    default void waitedLong(String lockName, List<Waiter> waiters, Answer.Busy refusal) {}

    /** Returns what is known of a wait, such as a deadlock, or null. */
    default @Nullable String described(Waiter waiter) {
        return null;
    }
}

package dev.holdfast.lock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A caller that waits for a lock in this client. A caller that waits for a composite lock is shown with the member that it waits for.
 *
 * @param lockName the name of the lock, or all names of a multi-lock of this client, such as {@code [a, b]}
 * @param waited how long the caller has waited so far
 * @param thread the name of the thread that made the call. After an asynchronous call, this thread may be doing other work
 * @param deadlock the circle of threads that wait for each other's locks, if the caller was found to be in one; otherwise null. Looked for every ten
 *     seconds of a wait, if the waiting thread is blocked and holds other locks. Text for people, in which special characters are escaped
 */
public record WaitingLock(
        String lockName,
        LockKind kind,
        Duration waited,
        String thread,
        @Nullable String deadlock) {}

package dev.holdfast.lock;

import java.time.Duration;

/**
 * A caller that waits for a lock in this client. A caller that waits for a composite lock is shown with the member that it waits for.
 *
 * @param lockName the name of the lock, or all names of a multi-lock of this client, such as {@code [a, b]}
 * @param waited how long the caller has waited so far
 * @param thread the name of the thread that made the call. After an asynchronous call, this thread may be doing other work
 */
public record WaitingLock(String lockName, LockKind kind, Duration waited, String thread) {}

package dev.holdfast.lock;

import java.time.Duration;

/**
 * A caller of this client that has asked for a lock and has no answer yet. A caller that wants a lock made of locks is shown with the one that it
 * waits for.
 *
 * @param lockName the lock; several names that are one lock are shown together, as in {@code [a, b]}
 * @param waited how long it has waited so far
 * @param thread the name of the thread that asked; one that asked for a stage may do anything else by now
 */
public record WaitingLock(String lockName, LockKind kind, Duration waited, String thread) {}

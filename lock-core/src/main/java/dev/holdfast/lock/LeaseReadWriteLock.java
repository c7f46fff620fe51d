package dev.holdfast.lock;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A read/write lock: many readers or one writer at a time. Both sides have the same name.
 *
 * <p>A thread that holds the write lock may acquire the read lock as well. If it unlocks the write lock first, it continues as a reader, and waiting
 * readers are admitted. The reverse is refused, because two threads that do it would deadlock: a thread that holds only the read lock and waits for
 * the write lock gets an {@link IllegalMonitorStateException} at once, or {@code false} if it tries without a wait. A read hold whose lease has
 * expired does not count.
 */
public interface LeaseReadWriteLock extends ReadWriteLock {

    /** Returns the readers' side of the lock. */
    @CheckReturnValue
    @Override
    LeaseLock readLock();

    /** Returns the writer's side of the lock. */
    @CheckReturnValue
    @Override
    LeaseLock writeLock();
}

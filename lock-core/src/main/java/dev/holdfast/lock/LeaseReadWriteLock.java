package dev.holdfast.lock;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * The two sides of a read/write lock of one name: many readers or one writer.
 *
 * <p>A thread that holds the write lock may acquire the read lock as well. If it unlocks the write lock first, it continues as a reader, and waiting
 * readers are admitted. The reverse is refused: a thread that only reads and waits for the write lock gets an {@link IllegalMonitorStateException}
 * at once, since two such threads would deadlock. Without a wait it gets {@code false}. A read hold whose lease has expired does not count.
 */
public interface LeaseReadWriteLock extends ReadWriteLock {

    /** The readers' side. */
    @CheckReturnValue
    @Override
    LeaseLock readLock();

    /** The writer's side. */
    @CheckReturnValue
    @Override
    LeaseLock writeLock();
}

package dev.holdfast.lock;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * The two sides of a read/write lock of one name: many readers or one writer.
 *
 * <p>A thread that writes may take the read lock as well, and by unlocking the write lock first it goes on as a reader: waiting readers come in
 * at that moment. The other way is refused: a thread that only reads and waits for the write lock gets an
 * {@link IllegalMonitorStateException} at once, since two that did so would wait for each other. Without a wait it gets {@code false}. A read hold whose
 * lease has expired does not count.
 */
public interface LeaseReadWriteLock extends ReadWriteLock {

    /**
     * The readers' side.
     *
     * @return a lock of kind {@link LockKind#READ}
     */
    @CheckReturnValue
    @Override
    LeaseLock readLock();

    /**
     * The writer's side.
     *
     * @return a lock of kind {@link LockKind#WRITE}
     */
    @CheckReturnValue
    @Override
    LeaseLock writeLock();
}

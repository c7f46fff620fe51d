/**
 * Distributed locks: the API for all callers.
 *
 * <ul>
 *   <li>A <b>client</b> ({@link dev.holdfast.lock.LockClient}) creates locks by name. An application has one.
 *   <li>A <b>lock</b> ({@link dev.holdfast.lock.LeaseLock}) is a {@link java.util.concurrent.locks.Lock} that all clients of one Redis share.
 *   <li>A <b>holder</b> has acquired a lock: a thread, or code that has a lease as a value. Callers that still want the lock are <b>waiters</b>.
 *   <li>A <b>lease</b> ({@link dev.holdfast.lock.Lease}) is the time for which a holder has the lock. A lease is renewed, or it expires.
 *   <li>A lease is <b>lost</b> if it ends before its holder releases it ({@link dev.holdfast.lock.LeaseLoss}). The holder learns of it.
 *   <li>A <b>fencing token</b> is a number that grows with each grant of a lock. A store that refuses smaller numbers refuses a holder that has lost
 *       its lease.
 * </ul>
 *
 * <pre>{@code
 * try (LockClient locks = RedisLockClient.create(RedisSource.of("redis://localhost"));
 *         Lease lease = locks.getLock("order:4711").acquire()) {
 *     pay(lease.fencingToken());
 * }
 * }</pre>
 *
 * <p>Three exceptions are never confused: {@link dev.holdfast.lock.LockNotAcquiredException} means that the lock is busy, {@link
 * dev.holdfast.lock.LockUnavailableException} that Redis did not answer, and {@link dev.holdfast.lock.LeaseLostException} that part of the work ran
 * without its lock.
 */
@NullMarked
package dev.holdfast.lock;

import org.jspecify.annotations.NullMarked;

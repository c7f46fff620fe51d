/**
 * The API for Spring applications: the annotation, its policies, and the lease inside a method.
 *
 * <ul>
 *   <li>{@link dev.holdfast.lock.spring.DistributedLock} runs a method under a lock. Its <b>name</b> is declared, its <b>key</b> is evaluated for
 *   each call. {@link dev.holdfast.lock.spring.OncePerTick} and {@link dev.holdfast.lock.spring.RunOnce} are the same for work that one instance does at
 *   each tick of a schedule, or for each deployment.
 *   <li>A <b>policy</b> says what to do when the lock is busy ({@link dev.holdfast.lock.spring.OnBusy}), when Redis does not answer ({@link
 *   dev.holdfast.lock.spring.OnUnavailable}), when the lease is lost ({@link dev.holdfast.lock.spring.OnLost}), and when a run that must
 *   happen only once fails ({@link dev.holdfast.lock.spring.OnFailure}).
 *   <li>A <b>fallback</b> is a method that answers a call whose lock is busy.
 *   <li>{@link dev.holdfast.lock.spring.LockContext} gives access to the lease of the running method.
 * </ul>
 *
 * <pre><code>
 * &#064;DistributedLock(name = "order", key = "#order.id", waitTime = "5s")
 * public Receipt pay(Order order) {
 *     return charge(order, LockContext.current().fencingToken());
 * }
 * </code></pre>
 */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring;

/**
 * Stores that refuse the writes of a holder that lost its lock.
 *
 * <ul>
 *   <li>The <b>fence table</b> ({@code holdfast.fence-table}) fences the transactions of locked methods, except those of {@link
 *   dev.holdfast.lock.spring.fencing.Unfenced} locks. {@link dev.holdfast.lock.spring.fencing.FenceDialect} is for another database.
 *   <li>{@link dev.holdfast.lock.spring.fencing.FencedBy} makes the version of an entity a fencing token, with Hibernate and Spring Data JDBC.
 *   <li>{@link dev.holdfast.lock.spring.fencing.GuardedRedis} guards writes to Redis.
 * </ul>
 *
 * <p>Each part is used only if its library is present, and the fence table only if its property is set.
 */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.fencing;

package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockKind;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method under a distributed lock. The lock is acquired before the method runs and released after it.
 *
 * <p>Use it on a method of a class, an interface or a superclass, or as a meta-annotation on another annotation for methods, whose attributes may be
 * aliases for the attributes here ({@link AliasFor}). Only the closest annotation applies; annotations are not merged. The locks of
 * several annotations on one method are acquired in the order of their names and released in reverse.
 *
 * <p>Durations are strings with a unit such as {@code 500ms}, {@code 5s}, {@code 2m} or {@code PT5S}, and may contain placeholders. An empty string
 * leaves the duration to the configuration. The configuration of this lock's name overrides the annotation.
 *
 * <p>A policy is one constant. If it is left out, that of the configuration for all locks applies, and otherwise {@code THROW}.
 */
@Documented
@Repeatable(DistributedLocks.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface DistributedLock {

    /**
     * The lock's declared name. Required. It identifies the lock in configuration and metrics, and the lock's name in Redis begins with it. An
     * application therefore has few of these names, and all of them are known when it starts. May contain placeholders, and {@code {class}} for the
     * simple name of the bean's class, so that beans that inherit the method have a lock each.
     */
    String name() default "";

    /**
     * A SpEL expression over the call, whose value distinguishes the locks of one name: {@code #order.id}, {@code #p0}, {@code #a0}, {@code
     * #root.method}, {@code #root.target}, {@code #root.args}. The lock in Redis is then {@code name:key}. The value is data and is never evaluated.
     * Null, blank text and objects without their own {@code toString()} are refused. Without a key, the name stands for exactly one lock.
     */
    String key() default "";

    /**
     * Like {@link #key()}, for an expression whose value is a collection or an array. Each distinct element has its own lock. A call acquires all of
     * them or none.
     */
    String keys() default "";

    /** The kind of lock. All uses of one name must agree. */
    LockKind kind() default LockKind.REENTRANT;

    /**
     * How many calls may run at a time, over all instances: 1 to 10,000. May be a placeholder. If it is empty, the {@linkplain #kind() kind} of lock
     * decides; by default, one call may run at a time. Each key has its own permits. With {@link LockKind#FAIR}, permits are granted in order of
     * arrival. A call inside a call of the same name and key runs under its caller's permit.
     *
     * @see dev.holdfast.lock.LeaseSemaphore
     */
    String permits() default "";

    /**
     * How long a call waits for a busy lock. If it is empty, a call that {@linkplain OnBusy#SKIP skips} or has a {@link #fallback()} does not wait,
     * and any other call waits as long as the configuration says.
     */
    String waitTime() default "";

    /** The length of the lease, 10 ms to 24 h. If neither this nor the configuration sets it, the lease is renewed while the method runs. */
    String leaseTime() default "";

    /** Minimum hold time, counted from the acquisition. For jobs, {@link OncePerTick} needs no such length. */
    String minHold() default "";

    /** Maximum hold time. When it ends, the lock is released even if the method is still running. */
    String maxHold() default "";

    /** What to do when the lock cannot be acquired within the wait time. */
    OnBusy[] onBusy() default {};

    /**
     * What to call instead of the method when the lock cannot be acquired within the wait time. This is the name of a method of the same class. It
     * must take the annotated method's parameters, optionally followed by a {@link dev.holdfast.lock.LockNotAcquiredException}, and return what the
     * annotated method returns. Cannot be combined with {@link #onBusy()}.
     */
    String fallback() default "";

    /** What to do when Redis cannot be reached or does not answer. */
    OnUnavailable[] onUnavailable() default {};

    /** What to do when the lease is lost while the method runs. */
    OnLost[] onLost() default {};

    /**
     * Whether a lock that is acquired inside a running transaction is released only after that transaction has completed. If it were released when
     * the method returns, the next holder could not see the writes of this call, because they would not be committed yet.
     */
    boolean releaseAfterTransaction() default true;

    /**
     * Whether the call waits for the answer of Redis to its release. If not, it returns when the release is sent, which saves a round trip. Then a loss
     * that only this answer shows reaches listeners, the log and meters, but not the caller. A loss that the client knows of is still thrown. Sound
     * with transactions, because the release is sent after the commit.
     */
    boolean awaitRelease() default true;
}

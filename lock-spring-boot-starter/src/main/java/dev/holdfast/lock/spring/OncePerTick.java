package dev.holdfast.lock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs each tick of a {@link org.springframework.scheduling.annotation.Scheduled @Scheduled} method once, over all instances. For {@code cron} and
 * {@code fixedRate}.
 *
 * <p>This is a {@link DistributedLock} that stores the last tick next to its lock. If the tick has already run or the lock is busy, the call is
 * skipped and returns an empty value. To acquire another lock, call a method that has one, or acquire it in the method.
 *
 * <p>May be used as a meta-annotation on another annotation.
 */
@Documented
@DistributedLock(onBusy = OnBusy.SKIP)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface OncePerTick {

    /** The job's {@link #name()}. */
    @AliasFor(annotation = DistributedLock.class, attribute = "name")
    String value() default "";

    /**
     * The job's name, which is its lock's declared name. Required. No other method or bean that runs only once may have it. May contain placeholders,
     * and {@code {class}} for the simple name of the bean's class.
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "name")
    String name() default "";

    /** A SpEL expression that tells jobs of one name apart, such as {@code #root.target.tenant} for one class as several beans. */
    @AliasFor(annotation = DistributedLock.class, attribute = "key")
    String key() default "";

    /**
     * A SpEL expression over the call, as in {@link #key()}, whose value is the tick of this call: {@code #fireTime}. For a schedule that is not {@code
     * @Scheduled}, such as a {@link TickTask} or another scheduler. The value is an {@code Instant}, a {@code Date}, or a date with its time zone, and
     * is the same on all instances. A call for a tick that is not later than the last one that ran is skipped.
     */
    String tick() default "";

    /**
     * What a failed run means for the other instances. By default, its tick counts as run. With {@link OnFailure#RETRY}, an instance that waits for the
     * lock runs the tick again, until the next tick; that needs a {@link #waitTime()}.
     */
    OnFailure onFailure() default OnFailure.STOP;

    /** How long a call waits for the run of another instance, on its thread. By default, it does not wait. */
    @AliasFor(annotation = DistributedLock.class, attribute = "waitTime")
    String waitTime() default "";

    /** The length of the lease, 10 ms to 24 h. If neither this nor the configuration sets it, the lease is renewed while the method runs. */
    @AliasFor(annotation = DistributedLock.class, attribute = "leaseTime")
    String leaseTime() default "";

    /** Maximum hold time. When it ends, the lock is released even if the method is still running, and another instance may run the next tick. */
    @AliasFor(annotation = DistributedLock.class, attribute = "maxHold")
    String maxHold() default "";

    /** What to do when Redis cannot be reached or does not answer. With {@link OnUnavailable#PROCEED}, each such instance runs the method. */
    @AliasFor(annotation = DistributedLock.class, attribute = "onUnavailable")
    OnUnavailable[] onUnavailable() default {};

    /** What to do when the lease is lost while the method runs. Another instance may run the next tick from then on. */
    @AliasFor(annotation = DistributedLock.class, attribute = "onLost")
    OnLost[] onLost() default {};
}

package dev.holdfast.lock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method once for each deployment: one instance runs it, and the others wait for its success and go on without running it. For work at
 * startup, such as the {@code run} method of an {@link org.springframework.boot.ApplicationRunner}.
 *
 * <p>It is a {@link DistributedLock} that keeps beside its lock for what the method has run. A call for which it has run already returns at once, with
 * an empty value.
 */
@Documented
@DistributedLock
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface RunOnce {

    /**
     * The lock's declared name. No other method or bean that runs only once may have it. May contain placeholders, and {@code {class}} for the simple
     * name of the bean's class.
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "name")
    String name();

    /**
     * A SpEL expression that tells runs of one name apart, such as {@code #root.target.tenant} for one class as several beans. Each value has a lock,
     * and runs once.
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "key")
    String key() default "";

    /**
     * What is the same on all instances of a deployment and changes with the next one, such as a commit or a version: {@code "${git.commit.id}"}. At
     * most 100 bytes in UTF-8, without blanks. The method runs once for each value, in whatever order they come. The last twenty or more are kept.
     */
    String per();

    /**
     * How long an instance waits for the run of another one. After it, the call throws {@link dev.holdfast.lock.LockNotAcquiredException}, which ends
     * the startup, or goes on with {@link OnBusy#SKIP}.
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "waitTime")
    String waitTime() default "10m";

    /**
     * What a failed run means for the other instances. By default, the next one that waits runs the method. With {@link OnFailure#STOP}, every call
     * for the same {@link #per()} throws an {@link EarlierRunFailedException}.
     */
    OnFailure onFailure() default OnFailure.RETRY;

    /** What to do when the run of another instance has not ended within the wait time. */
    @AliasFor(annotation = DistributedLock.class, attribute = "onBusy")
    OnBusy onBusy() default OnBusy.THROW;

    /** What to do when Redis cannot be reached or does not answer. With {@link OnUnavailable#PROCEED}, each such instance runs the method. */
    @AliasFor(annotation = DistributedLock.class, attribute = "onUnavailable")
    OnUnavailable onUnavailable() default OnUnavailable.THROW;

    /** What to do when the lease is lost while the method runs. Another instance may run the method from then on. */
    @AliasFor(annotation = DistributedLock.class, attribute = "onLost")
    OnLost onLost() default OnLost.THROW;
}

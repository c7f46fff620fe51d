package dev.holdfast.lock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Contains several {@link DistributedLock}s of one method. They are acquired in the order of their names and released in reverse. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface DistributedLocks {

    /** {@return the locks, at least one} */
    DistributedLock[] value();
}

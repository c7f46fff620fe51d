package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.DistributedLock;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Leaves the locks of a method out of the fence table: they fence no transaction. For locks that protect no data of the database. Without the property
 * {@code holdfast.fence-table}, it changes nothing.
 *
 * <p>Put it next to the method's {@link DistributedLock}, or on an annotation that contains one. On another method, such as an override, it has no
 * effect: the lock fences.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface Unfenced {}

package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Fences an entity: a holder whose lock has passed on to a later holder can no longer update or delete the entity. Put it on the entity's version, a
 * {@code Long} with {@code @Version} of JPA (Hibernate) or of Spring Data (Spring Data JDBC). The version is then the fencing token of the last
 * write, instead of a counter.
 *
 * <pre><code>
 * &#064;jakarta.persistence.Version
 * &#064;FencedBy(name = "stock", key = "article")
 * private Long fence;
 * </code></pre>
 *
 * <p>An update or a delete is refused with the exception of an optimistic lock if the row has seen a greater token, or has changed since it was read.
 * The database checks this in the statement's {@code where} clause. Without the lock, an update or a delete fails with an {@link
 * IllegalStateException}, and an insert is allowed. Update queries, native SQL and {@code deleteById} of Spring Data JDBC are not checked.
 * Do not use {@code update versioned}, which adds 1 to the token: the holder's own next write is refused then.
 *
 * <p>Two transactions that run side by side under one lease have the same token, so they are not protected from each other.
 *
 * @see LockContext
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface FencedBy {

    /** The lock's {@link #name()}. */
    @AliasFor("name")
    String value() default "";

    /** The declared name of the lock that protects the entity, as in {@link DistributedLock#name()}, without placeholders. Required. */
    @AliasFor("value")
    String name() default "";

    /**
     * The name of the entity's field whose value is the lock's key. A write then needs the lock of this very entity. Without it, the write needs the
     * only lock of that name that the code holds, whatever its key, and fails if the code holds several.
     */
    String key() default "";
}

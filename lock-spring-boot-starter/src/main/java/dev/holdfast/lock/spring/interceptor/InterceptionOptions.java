package dev.holdfast.lock.spring.interceptor;

import org.springframework.core.Ordered;

/**
 * How annotated methods are intercepted. A bean of this type replaces {@link #DEFAULTS}.
 *
 * @param order the interceptor's place among others: the smaller, the further out
 * @param beanReferences whether a key's expression may refer to beans
 */
public record InterceptionOptions(int order, boolean beanReferences) {

    /** Just outside of transactions, retries and caches, and inside of security. */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    /** The default order, and no references to beans. */
    public static final InterceptionOptions DEFAULTS = new InterceptionOptions(DEFAULT_ORDER, false);
}

package dev.holdfast.lock.spring.interceptor;

import org.springframework.core.Ordered;

/**
 * How annotated methods are intercepted. A bean of this type replaces the {@linkplain #defaults() defaults}.
 *
 * @param order the interceptor's position among a method's advisors; lower is further out
 * @param beanReferences whether a key expression may refer to beans
 * @param unproxiedBeans what to do at startup with a bean whose annotated methods have no proxy
 */
public record InterceptionOptions(int order, boolean beanReferences, UnproxiedBeans unproxiedBeans) {

    /** Just outside of transactions, retries and caches, and inside of security. */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    /** What to do at startup with a bean whose annotated methods have no proxy and so run without their locks. */
    public enum UnproxiedBeans {
        /** Fail if the bean was created before the proxy creator, and log a warning otherwise. */
        FAIL,
        /** Log a warning. */
        WARN,
        /** Do nothing. */
        OFF
    }

    /**
     * The default order, no references to beans, and {@link UnproxiedBeans#FAIL}.
     *
     * @return the defaults
     */
    public static InterceptionOptions defaults() {
        return new InterceptionOptions(DEFAULT_ORDER, false, UnproxiedBeans.FAIL);
    }

    /**
     * Sets the interceptor's position.
     *
     * @param newOrder the order; lower is further out
     * @return a copy
     */
    public InterceptionOptions order(int newOrder) {
        return new InterceptionOptions(newOrder, beanReferences, unproxiedBeans);
    }

    /**
     * Sets whether a key expression may refer to beans.
     *
     * @param allowed whether it may
     * @return a copy
     */
    public InterceptionOptions beanReferences(boolean allowed) {
        return new InterceptionOptions(order, allowed, unproxiedBeans);
    }

    /**
     * Sets what to do with beans that have no proxy.
     *
     * @param reaction what to do
     * @return a copy
     */
    public InterceptionOptions unproxiedBeans(UnproxiedBeans reaction) {
        return new InterceptionOptions(order, beanReferences, reaction);
    }
}

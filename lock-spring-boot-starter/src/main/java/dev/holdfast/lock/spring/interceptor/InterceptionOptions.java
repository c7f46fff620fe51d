package dev.holdfast.lock.spring.interceptor;

import org.springframework.core.Ordered;

/** How annotated methods are intercepted. A lower order is further out. A bean replaces the {@linkplain #defaults() defaults}. */
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

    /** {@return the default order, no references to beans, and {@link UnproxiedBeans#FAIL}} */
    public static InterceptionOptions defaults() {
        return new InterceptionOptions(DEFAULT_ORDER, false, UnproxiedBeans.FAIL);
    }
}

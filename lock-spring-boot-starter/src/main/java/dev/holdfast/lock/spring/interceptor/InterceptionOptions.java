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

    /** {@return the default order, no references to beans, and {@link UnproxiedBeans#FAIL}} */
    public static InterceptionOptions defaults() {
        return new InterceptionOptions(DEFAULT_ORDER, false, UnproxiedBeans.FAIL);
    }
}

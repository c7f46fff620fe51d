package dev.holdfast.lock.spring.interceptor;

import java.util.Arrays;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AbstractBeanFactoryPointcutAdvisor;

/** Puts the interceptor around annotated methods. The interceptor is looked up when the first of them is found. */
final class LockAdvisor extends AbstractBeanFactoryPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient LockPointcut pointcut = new LockPointcut();

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    /** Whether a bean is a proxy with this advice. */
    static boolean advises(Object bean) {
        return bean instanceof Advised advised
                && Arrays.stream(advised.getAdvisors()).anyMatch(LockAdvisor.class::isInstance);
    }
}

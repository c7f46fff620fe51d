package dev.holdfast.lock.spring.interceptor;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractBeanFactoryPointcutAdvisor;

/** Puts the interceptor around annotated methods. The interceptor is looked up when the first of them is found. */
final class LockAdvisor extends AbstractBeanFactoryPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient LockPointcut pointcut = new LockPointcut();

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }
}

package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.DistributedLock;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AbstractBeanFactoryPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;

/** Puts the interceptor around annotated methods. The interceptor is created when the first of them is found. */
final class LockAdvisor extends AbstractBeanFactoryPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient Pointcut pointcut = new AnnotatedMethods();

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    /** Whether a bean is a proxy with this advice. */
    static boolean advises(Object bean) {
        return bean instanceof Advised advised
                && Arrays.stream(advised.getAdvisors()).anyMatch(LockAdvisor.class::isInstance);
    }

    private static final class AnnotatedMethods extends StaticMethodMatcherPointcut {

        AnnotatedMethods() {
            setClassFilter(type -> AnnotationUtils.isCandidateClass(type, DistributedLock.class));
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return LockOperationSource.isLocked(method, targetClass);
        }
    }
}

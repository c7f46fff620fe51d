package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.DistributedLock;
import java.lang.reflect.Method;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;

/** Where locks are declared: on methods, classes, interfaces, superclasses, and through other annotations. */
final class LockPointcut extends StaticMethodMatcherPointcut {

    LockPointcut() {
        setClassFilter(type -> AnnotationUtils.isCandidateClass(type, DistributedLock.class));
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        return !LockAnnotations.of(specific, targetClass).isEmpty();
    }
}

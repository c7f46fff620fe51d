package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.spring.call.LockInterceptor;
import dev.holdfast.lock.spring.declaration.LockAnnotations;
import dev.holdfast.lock.spring.method.LockedSubclass;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.aspectj.AbstractAspectJAdvice;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/** The steps that a bean's proxies add around one of its methods, the outermost first. */
final class AdviceChain {

    static final String LOCK = "lock";

    private static final Map<String, String> KNOWN = Map.of(
            "TransactionInterceptor", "transaction",
            "CacheInterceptor", "cache",
            "Retry", "retry",
            "Async", "async",
            "ConcurrencyLimit", "concurrency limit",
            "MethodValidation", "validation");

    private AdviceChain() {}

    /** Returns the names of the steps; empty if the bean has no proxy and takes no locks itself. */
    static List<String> of(Object bean, Method method) {
        Class<?> target = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
        Method specific = AopUtils.getMostSpecificMethod(method, target);
        List<String> steps = new ArrayList<>();
        Object current = bean;
        while (current instanceof Advised proxy) {
            for (Advisor advisor : proxy.getAdvisors()) {
                if (applies(advisor, specific, target)) {
                    steps.add(name(advisor.getAdvice()));
                }
            }
            current = AopProxyUtils.getSingletonTarget(current);
        }
        if (current != null
                && LockedSubclass.isGenerated(current.getClass())
                && !steps.contains(LOCK)
                && LockAnnotations.isLocked(specific, target)) {
            steps.add(LOCK);
        }
        return steps;
    }

    private static boolean applies(Advisor advisor, Method method, Class<?> target) {
        if (advisor.getAdvice() instanceof ExposeInvocationInterceptor) {
            return false;
        }
        return !(advisor instanceof PointcutAdvisor pointed)
                || (pointed.getPointcut().getClassFilter().matches(target)
                        && pointed.getPointcut().getMethodMatcher().matches(method, target));
    }

    private static String name(@Nullable Advice advice) {
        if (advice instanceof LockInterceptor) {
            return LOCK;
        }
        if (advice instanceof AbstractAspectJAdvice aspect) {
            return "aspect " + aspect.getAspectName();
        }
        String type = advice == null ? "unknown" : advice.getClass().getSimpleName();
        return KNOWN.entrySet().stream()
                .filter(known -> type.contains(known.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(type);
    }
}

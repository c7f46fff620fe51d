package dev.holdfast.lock.spring.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AdvisorChainFactory;
import org.springframework.aop.framework.DefaultAdvisorChainFactory;

/**
 * Ends the advice of a proxy with the body of the method, if its target's class is generated. So a call that came through the proxy never reaches the
 * method that takes the locks, whatever thread it continues on, and whatever advice is added later. The advice sees the bean's own class.
 */
enum BodyChain implements AdvisorChainFactory {
    INSTANCE;

    @Override
    public List<Object> getInterceptorsAndDynamicInterceptionAdvice(
            Advised config, Method method, @Nullable Class<?> targetClass) {
        List<Object> chain = DefaultAdvisorChainFactory.INSTANCE.getInterceptorsAndDynamicInterceptionAdvice(
                config, method, targetClass == null ? null : LockedSubclass.superclass(targetClass));
        Method body = targetClass == null ? null : LockedSubclass.body(method, targetClass);
        if (body == null || chain.stream().noneMatch(MethodLocks.class::isInstance)) {
            return chain;
        }
        List<Object> ended = new ArrayList<>(chain);
        for (Object each : chain) {
            if (each instanceof MethodLocks locks) {
                ended.set(chain.indexOf(each), onOriginal(locks::aroundBody));
                ended.add(onOriginal(call -> locks.atEnd(
                        call, arguments -> LockedCalls.run(body, Objects.requireNonNull(call.getThis()), arguments))));
            }
        }
        return ended;
    }

    /** A copy of the object takes its locks itself. */
    private static MethodInterceptor onOriginal(MethodInterceptor interceptor) {
        return call -> isOriginal(call) ? interceptor.invoke(call) : call.proceed();
    }

    private static boolean isOriginal(MethodInvocation call) {
        return call.getThis() != null && LockedSubclass.isOriginal(call.getThis());
    }
}

package dev.holdfast.lock.spring.interceptor;

import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/** Runs annotated methods of proxied beans under their locks. */
public final class LockInterceptor implements MethodInterceptor {

    private final LockGuard guard;

    LockInterceptor(LockGuard guard) {
        this.guard = guard;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        // What the pointcut saw, also where it is a proxy itself: the class behind a repository knows nothing of the
        // interface's locks.
        Class<?> targetClass =
                target == null ? invocation.getMethod().getDeclaringClass() : ClassUtils.getUserClass(target);
        return guard.call(
                invocation.getMethod(),
                targetClass,
                target,
                invocation.getArguments(),
                arguments -> proceed(invocation, arguments));
    }

    /** An argument may well be null, whatever {@link ProxyMethodInvocation} declares. */
    @SuppressWarnings("NullAway")
    private static @Nullable Object proceed(MethodInvocation invocation, @Nullable Object[] arguments)
            throws Throwable {
        // A copy: a publisher's body is called for each of its subscribers, after this invocation has returned.
        MethodInvocation call =
                invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone(arguments) : invocation;
        Object target = call.getThis();
        if (target == null || !ProxiedCall.isMarked()) {
            return call.proceed();
        }
        Method method = AopUtils.getMostSpecificMethod(call.getMethod(), AopUtils.getTargetClass(target));
        return new ProxiedCall(target, method).proceed(call::proceed);
    }
}

package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.DistributedLock;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AbstractBeanFactoryPointcutAdvisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** Runs annotated methods under the locks that they declare, for proxied beans and for woven code. */
public final class LockInterceptor implements MethodInterceptor {

    private final LockOperationSource methods;
    private final LockAcquirer acquirer;

    LockInterceptor(LockOperationSource methods, LockAcquirer acquirer) {
        this.methods = methods;
        this.acquirer = acquirer;
    }

    /** Acquires the method's locks, runs the method, and releases the locks. Throws what the method throws, or the refusal or loss of a lock. */
    public @Nullable Object call(
            Method method, Class<?> targetClass, @Nullable Object target, @Nullable Object[] arguments, MethodBody body)
            throws Throwable {
        Optional<LockedMethod> locked = methods.find(method, targetClass);
        if (locked.isEmpty()) {
            return body.proceed(arguments);
        }
        return locked.get().call(target, arguments, body, acquirer);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Method method = invocation.getMethod();
        Object target = invocation.getThis();
        // This is the class that the pointcut saw, which may be a proxy's. The class behind a repository proxy lacks
        // the interface's annotations.
        Class<?> targetClass = target == null ? method.getDeclaringClass() : ClassUtils.getUserClass(target);
        return call(
                method, targetClass, target, invocation.getArguments(), arguments -> proceed(invocation, arguments));
    }

    /**
     * Proceeds with the given arguments. An argument may be null, although {@link ProxyMethodInvocation} declares otherwise; hence the suppression.
     */
    @SuppressWarnings("NullAway")
    private static @Nullable Object proceed(MethodInvocation invocation, @Nullable Object[] arguments)
            throws Throwable {
        // The invocation is copied because each subscriber of a publisher runs the body again, after this invocation
        // has returned.
        MethodInvocation call =
                invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone(arguments) : invocation;
        Object target = call.getThis();
        if (target == null || !ProxiedCall.isMarked()) {
            return call.proceed();
        }
        Method method = AopUtils.getMostSpecificMethod(call.getMethod(), AopUtils.getTargetClass(target));
        return new ProxiedCall(target, method).proceed(call);
    }

    /** Puts the interceptor around annotated methods. The interceptor is created when the first annotated method is found. */
    static final class LockAdvisor extends AbstractBeanFactoryPointcutAdvisor {
        private static final long serialVersionUID = 1L;

        private final transient Pointcut pointcut = new StaticMethodMatcherPointcut() {
            {
                setClassFilter(type -> AnnotationUtils.isCandidateClass(type, DistributedLock.class));
            }

            @Override
            public boolean matches(Method method, Class<?> targetClass) {
                return LockOperationSource.isLocked(method, targetClass);
            }
        };

        @Override
        public Pointcut getPointcut() {
            return pointcut;
        }

        static boolean advises(Object bean) {
            return bean instanceof Advised advised
                    && Arrays.stream(advised.getAdvisors()).anyMatch(LockAdvisor.class::isInstance);
        }
    }

    /** The call from a proxy to its target. Woven code of the target already runs under the proxy's locks and must not acquire them again. */
    public record ProxiedCall(Object target, Method method) {
        private static final ThreadLocal<@Nullable ProxiedCall> CURRENT = new ThreadLocal<>();
        private static volatile boolean marked;

        public static void mark() {
            marked = true;
        }

        static boolean isMarked() {
            return marked;
        }

        @Nullable
        Object proceed(MethodInvocation rest) throws Throwable {
            CURRENT.set(this);
            try {
                return rest.proceed();
            } finally {
                CURRENT.remove();
            }
        }

        /** Returns true, once, if this call comes from its proxy and therefore already runs under its locks. */
        public static boolean arrives(@Nullable Object target, Method method) {
            ProxiedCall current = CURRENT.get();
            boolean arrives = current != null && current.target == target && current.method.equals(method);
            if (arrives) {
                CURRENT.remove();
            }
            return arrives;
        }
    }
}

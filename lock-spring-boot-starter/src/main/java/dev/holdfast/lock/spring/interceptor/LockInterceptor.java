package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.DistributedLock;
import java.lang.reflect.Method;
import java.util.Arrays;
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

/** Runs annotated methods of proxied beans under their locks. */
public final class LockInterceptor implements MethodInterceptor {

    private final LockGuard guard;

    LockInterceptor(LockGuard guard) {
        this.guard = guard;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        // As the pointcut saw it, even if it is a proxy: the class behind a repository does not have the interface's
        // annotations.
        Class<?> targetClass =
                target == null ? invocation.getMethod().getDeclaringClass() : ClassUtils.getUserClass(target);
        return guard.call(
                invocation.getMethod(),
                targetClass,
                target,
                invocation.getArguments(),
                arguments -> proceed(invocation, arguments));
    }

    /** An argument can be null, although {@link ProxyMethodInvocation} declares otherwise. */
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
        return new ProxiedCall(target, method).proceed(call);
    }

    /** Puts the interceptor around annotated methods. The interceptor is created when the first of them is found. */
    static final class LockAdvisor extends AbstractBeanFactoryPointcutAdvisor {

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

    /**
     * The call that a thread passes from a proxy to its target. Used only if code is woven: the woven method already runs under the locks of the
     * proxy and must not acquire them again.
     *
     * @param target the object behind the proxy
     * @param method its method
     */
    public record ProxiedCall(Object target, Method method) {

        private static final ThreadLocal<@Nullable ProxiedCall> CURRENT = new ThreadLocal<>();

        private static volatile boolean marked;

        /** Marks calls from now on: there is woven code. */
        public static void mark() {
            marked = true;
        }

        static boolean isMarked() {
            return marked;
        }

        /** Runs the rest of the call. */
        @Nullable
        Object proceed(MethodInvocation rest) throws Throwable {
            CURRENT.set(this);
            try {
                return rest.proceed();
            } finally {
                CURRENT.remove();
            }
        }

        /**
         * Whether a call arrives from its proxy. True once.
         *
         * @param target the object called
         * @param method the method called
         * @return true if the call already runs under its locks
         */
        public static boolean arrives(@Nullable Object target, Method method) {
            ProxiedCall current = CURRENT.get();
            if (current == null || current.target != target || !current.method.equals(method)) {
                return false;
            }
            CURRENT.remove();
            return true;
        }
    }
}

package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.declaration.LockAnnotations;
import dev.holdfast.lock.spring.method.LockedSubclass;
import dev.holdfast.lock.spring.method.MethodLocks;
import dev.holdfast.lock.spring.method.MethodLocks.MethodBody;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AbstractBeanFactoryPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.util.ClassUtils;

/** Runs annotated methods under the locks that they declare, for proxied beans and for woven code. */
public final class LockInterceptor implements MethodInterceptor, MethodLocks {

    private final KnownMethods methods;
    private final LockAcquirer acquirer;

    /** Creates the interceptor. The client is looked up at the first call, because the interceptor is created before most beans. */
    public LockInterceptor(KnownMethods methods, Supplier<LockClient> client) {
        this.methods = methods;
        this.acquirer = new LockAcquirer(client);
    }

    @Override
    public @Nullable Object call(
            Method method, Class<?> targetClass, @Nullable Object target, @Nullable Object[] arguments, MethodBody body)
            throws Throwable {
        LockedMethod called = methods.find(method, targetClass).orElse(null);
        if (called == null) {
            return body.proceed(arguments);
        }
        return called.results().callDirectly(invocation(called, target, arguments, body, null), acquirer);
    }

    /** Steps aside if the lock is taken further inside. Otherwise a call that continues on another thread would wait for itself there. */
    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        return takesLock(invocation.getThis(), invocation.getMethod()) ? invocation.proceed() : aroundBody(invocation);
    }

    private static boolean takesLock(@Nullable Object target, Method method) {
        return target instanceof Advised proxy
                ? LockAdvisor.advises(target) || takesLock(AopProxyUtils.getSingletonTarget(proxy), method)
                : LockedSubclass.overrides(target, method);
    }

    @Override
    public @Nullable Object aroundBody(MethodInvocation invocation) throws Throwable {
        Method method = invocation.getMethod();
        Object target = invocation.getThis();
        // This is the class that the pointcut saw, which may be a proxy's. The class behind a repository proxy lacks
        // the interface's annotations.
        Class<?> targetClass = target == null ? method.getDeclaringClass() : ClassUtils.getUserClass(target);
        LockedMethod called = methods.find(method, targetClass).orElse(null);
        if (called == null || called.isWoven()) {
            return invocation.proceed();
        }
        MethodBody body = arguments -> proceed(invocation, arguments);
        ProxyMethodInvocation proxied = invocation instanceof ProxyMethodInvocation known ? known : null;
        return called.results().call(invocation(called, target, invocation.getArguments(), body, proxied), acquirer);
    }

    @Override
    public @Nullable Object atEnd(MethodInvocation invocation, MethodBody body) throws Throwable {
        Class<?> type = ClassUtils.getUserClass(Objects.requireNonNull(invocation.getThis()));
        LockedMethod called = methods.find(invocation.getMethod(), type).orElse(null);
        return called == null
                ? body.proceed(invocation.getArguments())
                : called.results().atEnd(invocation.getArguments(), body);
    }

    private static LockedInvocation invocation(
            LockedMethod called,
            @Nullable Object target,
            @Nullable Object[] arguments,
            MethodBody body,
            @Nullable ProxyMethodInvocation proxied) {
        return new LockedInvocation(called.locks(), called.leaseParameter(), target, arguments, body, proxied);
    }

    /**
     * Proceeds with the given arguments. An argument may be null, although {@link ProxyMethodInvocation} declares otherwise; hence the suppression.
     */
    @SuppressWarnings("NullAway")
    private static @Nullable Object proceed(MethodInvocation invocation, @Nullable Object[] arguments)
            throws Throwable {
        // The invocation is copied because each subscriber of a publisher runs the body again, after this invocation
        // has returned.
        return (invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone(arguments) : invocation)
                .proceed();
    }

    /** Puts the interceptor around annotated methods. The interceptor is created when the first annotated method is found. */
    public static final class LockAdvisor extends AbstractBeanFactoryPointcutAdvisor {
        private static final long serialVersionUID = 1L;

        private final transient IntSupplier order;

        private final transient Pointcut pointcut = new StaticMethodMatcherPointcut() {
            {
                setClassFilter(type -> !LockAnnotations.lockedMethods(type).isEmpty());
            }

            @Override
            public boolean matches(Method method, Class<?> targetClass) {
                return LockAnnotations.isLocked(method, targetClass);
            }
        };

        /** Creates the advisor. Its order is asked for when it first applies to a bean, because it is created before the settings. */
        public LockAdvisor(IntSupplier order) {
            this.order = order;
        }

        @Override
        public int getOrder() {
            return order.getAsInt();
        }

        @Override
        public Pointcut getPointcut() {
            return pointcut;
        }

        public static boolean advises(Object bean) {
            return bean instanceof Advised advised
                    && Arrays.stream(advised.getAdvisors()).anyMatch(LockAdvisor.class::isInstance);
        }
    }
}

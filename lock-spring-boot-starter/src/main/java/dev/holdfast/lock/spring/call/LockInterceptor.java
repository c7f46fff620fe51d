package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.declaration.LockAnnotations;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.declaration.LockOperationParser;
import dev.holdfast.lock.spring.method.LockedSubclass;
import dev.holdfast.lock.spring.method.MethodLocks;
import dev.holdfast.lock.spring.method.MethodLocks.MethodBody;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
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
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/**
 * Runs annotated methods under the locks that they declare, for proxied beans and for woven code. Remembers the methods that were called or checked so
 * far.
 */
public final class LockInterceptor implements MethodInterceptor, MethodLocks {

    private final LockOperationParser parser;
    private final List<? extends Function<LockOperation, @Nullable LockFeature>> features;
    private final Supplier<LockClient> client;
    private final ConcurrentMap<MethodClassKey, Optional<LockedMethod>> methods = new ConcurrentHashMap<>();

    /**
     * Creates the interceptor. The client is looked up at the first call, because the interceptor is created before most beans.
     *
     * @param features return what they do around a lock, null if nothing. They are asked when its method is parsed, in this order
     */
    public LockInterceptor(
            LockOperationParser parser,
            List<? extends Function<LockOperation, @Nullable LockFeature>> features,
            Supplier<LockClient> client) {
        this.parser = parser;
        this.features = features;
        this.client = client;
    }

    /** Returns the locks of a method that may be called through an interface or a bridge method. Empty if the method declares none. */
    public Optional<LockedMethod> find(Method method, Class<?> targetClass) {
        MethodClassKey called = new MethodClassKey(method, targetClass);
        // The map is read first, because it may lock to compute a value.
        Optional<LockedMethod> found = methods.get(called);
        return found == null ? methods.computeIfAbsent(called, first -> read(method, targetClass)) : found;
    }

    private Optional<LockedMethod> read(Method method, Class<?> targetClass) {
        Method specific = LockAnnotations.specific(method, targetClass);
        List<LockOperation> operations = parser.parse(specific, targetClass);
        return operations.isEmpty()
                ? Optional.empty()
                : Optional.of(LockedMethod.of(specific, targetClass, operations, features));
    }

    @Override
    public @Nullable Object call(
            Method method, Class<?> targetClass, @Nullable Object target, @Nullable Object[] arguments, MethodBody body)
            throws Throwable {
        LockedMethod called = find(method, targetClass).orElse(null);
        if (called == null) {
            return body.proceed(arguments);
        }
        return called.results().callDirectly(invocation(called, target, arguments, body, null));
    }

    /** Steps aside if the lock is taken further inside. Otherwise a call that continues on another thread would wait for itself there. */
    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        return takesLock(invocation.getThis(), invocation.getMethod()) ? invocation.proceed() : aroundBody(invocation);
    }

    private static boolean takesLock(@Nullable Object target, Method method) {
        return target instanceof Advised proxy
                ? LockAdvisor.advises(target) || takesLock(AopProxyUtils.getSingletonTarget(proxy), method)
                : isSubclassed(target) && LockedSubclass.overrides(target, method);
    }

    private static boolean isSubclassed(@Nullable Object target) {
        return target != null && ClassUtils.getUserClass(target) != target.getClass();
    }

    @Override
    public @Nullable Object aroundBody(MethodInvocation invocation) throws Throwable {
        Method method = invocation.getMethod();
        Object target = invocation.getThis();
        // This is the class that the pointcut saw, which may be a proxy's. The class behind a repository proxy lacks
        // the interface's annotations.
        Class<?> targetClass = target == null ? method.getDeclaringClass() : ClassUtils.getUserClass(target);
        LockedMethod called = find(method, targetClass).orElse(null);
        if (called == null || called.isWoven()) {
            return invocation.proceed();
        }
        MethodBody body = arguments -> proceed(invocation, arguments);
        ProxyMethodInvocation proxied = invocation instanceof ProxyMethodInvocation known ? known : null;
        return called.results().call(invocation(called, target, invocation.getArguments(), body, proxied));
    }

    @Override
    public @Nullable Object atEnd(MethodInvocation invocation, MethodBody body) throws Throwable {
        Class<?> type = ClassUtils.getUserClass(Objects.requireNonNull(invocation.getThis()));
        LockedMethod called = find(invocation.getMethod(), type).orElse(null);
        return called == null
                ? body.proceed(invocation.getArguments())
                : called.results().atEnd(invocation.getArguments(), body);
    }

    private LockedInvocation invocation(
            LockedMethod called,
            @Nullable Object target,
            @Nullable Object[] arguments,
            MethodBody body,
            @Nullable ProxyMethodInvocation proxied) {
        return new LockedInvocation(client, called.locks(), called.leaseParameter(), target, arguments, body, proxied);
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

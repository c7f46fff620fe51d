package dev.holdfast.lock.spring.aspectj;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.DistributedLocks;
import dev.holdfast.lock.spring.call.LockInterceptor;
import dev.holdfast.lock.spring.method.LockedCalls;
import java.lang.annotation.Annotation;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Connects the aspect, which exists once in a JVM, to the locks of running application contexts. A bean's calls use the locks of the context that
 * created it.
 */
public final class WeavingLink implements BeanPostProcessor, InitializingBean, DisposableBean {

    /**
     * Whether the weaver uses the aspect. It adds a field to each aspect that it uses, as other agents may do. Looking for a method would load the
     * weaver's classes in every application.
     */
    private static final boolean WOVEN = Arrays.stream(DistributedLockAspect.class.getDeclaredFields())
            .anyMatch(field -> field.getName().startsWith("ajc$"));

    /** The woven methods that a class declares. */
    private static final ClassValue<Set<Method>> METHODS = new ClassValue<>() {
        @Override
        protected Set<Method> computeValue(Class<?> type) {
            Method[] declared = type.getDeclaredMethods();
            return Arrays.stream(declared)
                    .filter(one -> !KotlinDetector.isSuspendingFunction(one)
                            && isAnnotated(one)
                            && Arrays.stream(declared).anyMatch(each -> isBody(each, one)))
                    .collect(Collectors.toUnmodifiableSet());
        }
    };

    private static final Map<Bean, Supplier<LockInterceptor>> BEANS = new ConcurrentHashMap<>();
    private static final ReferenceQueue<Object> COLLECTED = new ReferenceQueue<>();

    private final Supplier<LockInterceptor> locks;

    /**
     * Creates the link to the locks of a context. The locks are looked up at the first woven call, because the beans that they need do not exist
     * earlier.
     */
    public WeavingLink(ObjectProvider<LockInterceptor> locks) {
        this.locks = SingletonSupplier.of(locks::getObject);
    }

    @Override
    public void afterPropertiesSet() {
        if (WOVEN) {
            LockedCalls.weave(WeavingLink::isWoven);
        }
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (WOVEN && AnnotationUtils.isCandidateClass(bean.getClass(), DistributedLock.class)) {
            for (Reference<?> gone = COLLECTED.poll(); gone != null; gone = COLLECTED.poll()) {
                BEANS.remove(gone);
            }
            BEANS.put(new Bean(bean, COLLECTED), locks);
        }
        return bean;
    }

    /**
     * Returns whether the weaver has put the aspect around the method: the aspect's pointcut finds its annotation, and its body is in another method. If
     * this is not certain, its proxy takes the locks, and the woven method uses them again.
     */
    private static boolean isWoven(Method method) {
        return METHODS.get(method.getDeclaringClass()).contains(method);
    }

    private static boolean isAnnotated(Method method) {
        return Arrays.stream(method.getDeclaredAnnotations())
                .map(Annotation::annotationType)
                .anyMatch(each -> each == DistributedLock.class
                        || each == DistributedLocks.class
                        || each.isAnnotationPresent(DistributedLock.class));
    }

    private static boolean isBody(Method body, Method method) {
        List<Class<?>> parameters = Arrays.asList(body.getParameterTypes());
        List<Class<?>> expected = Arrays.asList(method.getParameterTypes());
        return body.getName().matches(Pattern.quote(method.getName()) + "_aroundBody\\d+")
                && Modifier.isStatic(body.getModifiers())
                && parameters.size() > expected.size()
                && parameters.subList(1, expected.size() + 1).equals(expected);
    }

    @Override
    public void destroy() {
        BEANS.values().removeIf(locks::equals);
    }

    /** Returns the locks of the context that created the object as a bean; null for other objects. */
    static @Nullable Supplier<LockInterceptor> creatorOf(@Nullable Object target) {
        return target == null ? null : BEANS.get(new Bean(target, null));
    }

    private static final class Bean extends WeakReference<Object> {
        private final int hash;

        Bean(Object bean, @Nullable ReferenceQueue<Object> queue) {
            super(bean, queue);
            this.hash = System.identityHashCode(bean);
        }

        @Override
        public boolean equals(Object other) {
            return this == other || (other instanceof Bean bean && get() != null && get() == bean.get());
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}

package dev.holdfast.lock.spring.aspectj;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.call.LockInterceptor;
import dev.holdfast.lock.spring.method.LockedCalls;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
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
            LockedCalls.weave();
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

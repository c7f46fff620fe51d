package dev.holdfast.lock.spring.aspectj;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.interceptor.LockInterceptor;
import dev.holdfast.lock.spring.interceptor.LockInterceptor.ProxiedCall;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** Connects the aspect, of which a JVM has one, with the locks of running contexts. Beans use the context that created them. */
public final class WeavingLink implements BeanPostProcessor, InitializingBean, DisposableBean {

    /** The weaver adds this method to an aspect that it uses. */
    private static final boolean WOVEN = ClassUtils.hasMethod(DistributedLockAspect.class, "aspectOf");

    private static final CopyOnWriteArrayList<Supplier<LockInterceptor>> RUNNING = new CopyOnWriteArrayList<>();
    private static final Map<Bean, Supplier<LockInterceptor>> BEANS = new ConcurrentHashMap<>();
    private static final ReferenceQueue<Object> COLLECTED = new ReferenceQueue<>();

    private final Supplier<LockInterceptor> locks;

    /** Creates the link to the locks of a context. Looks them up at the first woven call: they need beans that do not exist before. */
    public WeavingLink(ObjectProvider<LockInterceptor> locks) {
        this.locks = SingletonSupplier.of(locks::getObject);
    }

    @Override
    public void afterPropertiesSet() {
        if (WOVEN) {
            RUNNING.add(locks);
            ProxiedCall.mark();
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
        RUNNING.remove(locks);
        BEANS.values().removeIf(locks::equals);
    }

    /** The locks of the context that created the object as a bean; for other objects, of the context that started last. */
    static @Nullable LockInterceptor locksOf(@Nullable Object target) {
        Supplier<LockInterceptor> creator = target == null ? null : BEANS.get(new Bean(target, null));
        Supplier<LockInterceptor> found =
                creator == null ? RUNNING.stream().reduce(null, (earlier, later) -> later) : creator;
        return found == null ? null : found.get();
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

package dev.holdfast.lock.spring.aspectj;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.interceptor.LockGuard;
import dev.holdfast.lock.spring.interceptor.ProxiedCall;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationUtils;

/** The application contexts of this JVM whose locks woven code uses. The aspect is created once, while contexts start and close. */
final class RunningContexts {

    private static final CopyOnWriteArrayList<Supplier<LockGuard>> RUNNING = new CopyOnWriteArrayList<>();

    private static final Map<Bean, Supplier<LockGuard>> BEANS = new ConcurrentHashMap<>();

    private static final ReferenceQueue<Object> COLLECTED = new ReferenceQueue<>();

    private RunningContexts() {}

    static void add(Supplier<LockGuard> guard) {
        RUNNING.add(guard);
        ProxiedCall.mark();
    }

    /** Remembers which context created a bean, if its class may have woven methods. */
    static void add(Supplier<LockGuard> guard, Object bean) {
        if (AnnotationUtils.isCandidateClass(bean.getClass(), DistributedLock.class)) {
            for (Reference<?> gone = COLLECTED.poll(); gone != null; gone = COLLECTED.poll()) {
                BEANS.remove(gone);
            }
            BEANS.put(new Bean(bean, COLLECTED), guard);
        }
    }

    static void remove(Supplier<LockGuard> guard) {
        RUNNING.remove(guard);
        BEANS.values().removeIf(guard::equals);
    }

    /** The locks of the context that created the object as a bean; for other objects, of the context that started last. */
    static @Nullable LockGuard of(@Nullable Object target) {
        Supplier<LockGuard> guard = target == null ? null : BEANS.get(new Bean(target, null));
        for (Supplier<LockGuard> running : guard == null ? RUNNING : List.<Supplier<LockGuard>>of()) {
            guard = running;
        }
        return guard == null ? null : guard.get();
    }

    /** A bean as the object that it is, whatever its {@code equals} says. */
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

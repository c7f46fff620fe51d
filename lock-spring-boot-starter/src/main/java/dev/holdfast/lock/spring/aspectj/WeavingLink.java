package dev.holdfast.lock.spring.aspectj;

import dev.holdfast.lock.spring.interceptor.LockGuard;
import java.util.function.Supplier;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.function.SingletonSupplier;

/**
 * Connects the aspect, which the weaver creates, with the locks of an application context while the context runs. Beans use the locks of the
 * context that created them. Does nothing where nothing is woven.
 */
public final class WeavingLink implements BeanPostProcessor, InitializingBean, DisposableBean {

    private static final boolean WOVEN = isWoven();

    private final Supplier<LockGuard> guard;

    /**
     * Creates the link.
     *
     * @param guard the locks of the context, looked up at the first woven call: they need beans that are created later than post-processors
     */
    public WeavingLink(ObjectProvider<LockGuard> guard) {
        this.guard = SingletonSupplier.of(guard::getObject);
    }

    /** The weaver adds this method to an aspect that it uses. */
    private static boolean isWoven() {
        try {
            DistributedLockAspect.class.getMethod("aspectOf");
            return true;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    @Override
    public void afterPropertiesSet() {
        if (WOVEN) {
            RunningContexts.add(guard);
        }
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (WOVEN) {
            RunningContexts.add(guard, bean);
        }
        return bean;
    }

    @Override
    public void destroy() {
        RunningContexts.remove(guard);
    }
}

package dev.holdfast.lock.spring.aspectj;

import dev.holdfast.lock.spring.interceptor.LockGuard;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;

/** Connects the aspect, which the weaver makes, with the application's locks for as long as the application runs. */
public final class WeavingLink implements InitializingBean, DisposableBean {

    private final LockGuard guard;

    /**
     * Creates the link.
     *
     * @param guard the application's locks
     */
    public WeavingLink(LockGuard guard) {
        this.guard = guard;
    }

    @Override
    public void afterPropertiesSet() {
        DistributedLockAspect.use(guard);
    }

    @Override
    public void destroy() {
        DistributedLockAspect.forget(guard);
    }
}

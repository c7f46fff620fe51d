package dev.holdfast.lock.spring.check;

import dev.holdfast.lock.spring.call.LockInterceptor.LockAdvisor;
import dev.holdfast.lock.spring.method.LockedProxies;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.core.Ordered;

/** Records which beans have a proxy that takes locks. It runs right after the proxy creator, so that a later wrapper cannot hide the proxy. */
final class ProxiedBeans implements BeanFactoryPostProcessor, SmartInstantiationAwareBeanPostProcessor, Ordered {

    enum Origin {
        LOCKED,
        /** Another proxy creator than Spring's has made the proxy that is directly around an object that takes its locks itself. */
        OF_ANOTHER_CREATOR,
        /** The bean was created while the proxy creator existed, but has no proxy that takes locks. */
        UNPROXIED,
        /** The bean was created before the proxy creator existed. */
        EARLY
    }

    private final ConcurrentMap<String, Origin> origins = new ConcurrentHashMap<>();

    /** Returns how a bean, or the product of a factory bean, was created; null if this factory has not created it. */
    @Nullable
    Origin originOf(String beanName) {
        return origins.get(beanName);
    }

    @Override
    public int getOrder() {
        // The proxy creator has the highest precedence. This post-processor comes next.
        return HIGHEST_PRECEDENCE + 1;
    }

    /** Registers a separate object, because Spring logs a warning for every bean if a post-processor is registered twice. */
    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        beans.addBeanPostProcessor(new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String beanName) {
                if (!hasProxyCreator(beans)) {
                    origins.put(key(bean, beanName), Origin.EARLY);
                }
                return bean;
            }
        });
    }

    private static boolean hasProxyCreator(ConfigurableListableBeanFactory beans) {
        return beans instanceof AbstractBeanFactory factory
                && factory.getBeanPostProcessors().stream().anyMatch(AbstractAutoProxyCreator.class::isInstance);
    }

    @Override
    public Object getEarlyBeanReference(Object bean, String beanName) {
        return record(bean, beanName);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        return record(bean, beanName);
    }

    private Object record(Object bean, String beanName) {
        if (LockedProxies.isOfAnotherCreator(bean)) {
            origins.put(key(bean, beanName), Origin.OF_ANOTHER_CREATOR);
        } else if (LockAdvisor.advises(bean)) {
            origins.put(key(bean, beanName), Origin.LOCKED);
        } else {
            origins.putIfAbsent(key(bean, beanName), Origin.UNPROXIED);
        }
        return bean;
    }

    /** Returns a different key for a factory bean than for its product, because both have the same name. */
    private static String key(Object bean, String beanName) {
        return bean instanceof FactoryBean ? BeanFactory.FACTORY_BEAN_PREFIX + beanName : beanName;
    }
}

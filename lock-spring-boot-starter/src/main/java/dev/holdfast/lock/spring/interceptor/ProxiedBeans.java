package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.interceptor.LockInterceptor.LockAdvisor;
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

/** Records which beans have a proxy that takes locks. Runs right after the proxy creator: a later wrapper cannot hide the proxy. */
final class ProxiedBeans implements BeanFactoryPostProcessor, SmartInstantiationAwareBeanPostProcessor, Ordered {

    enum Origin {
        LOCKED,
        /** Created while the proxy creator already existed, without such a proxy. */
        UNPROXIED,
        /** Created before the proxy creator existed. */
        EARLY
    }

    private final ConcurrentMap<String, Origin> origins = new ConcurrentHashMap<>();

    /** How a bean, or the product of a factory bean, was created; null if this factory has not created it. */
    @Nullable
    Origin originOf(String beanName) {
        return origins.get(beanName);
    }

    @Override
    public int getOrder() {
        // The proxy creator has the highest precedence among these.
        return HIGHEST_PRECEDENCE + 1;
    }

    /** Registers a separate object: if a post-processor is registered twice, Spring logs a warning for every bean. */
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
        if (LockAdvisor.advises(bean)) {
            origins.put(key(bean, beanName), Origin.LOCKED);
        } else {
            origins.putIfAbsent(key(bean, beanName), Origin.UNPROXIED);
        }
        return bean;
    }

    /** A factory bean and its product have one name. */
    private static String key(Object bean, String beanName) {
        return bean instanceof FactoryBean ? BeanFactory.FACTORY_BEAN_PREFIX + beanName : beanName;
    }
}

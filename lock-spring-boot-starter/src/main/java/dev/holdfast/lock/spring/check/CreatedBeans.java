package dev.holdfast.lock.spring.check;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The objects that Spring has created as beans, or as products of factory beans, before anything wraps them. It knows none of those that were registered,
 * such as a test's mocks.
 */
final class CreatedBeans implements BeanFactoryPostProcessor {

    private final Map<String, Object> bare = new ConcurrentHashMap<>();
    private volatile boolean ended;

    /** Returns the last object of a name, without its proxy; null if Spring has created none. */
    @Nullable
    Object bare(String beanName) {
        return bare.get(beanName);
    }

    void end() {
        ended = true;
        bare.clear();
    }

    /** Adds the post-processor here, so that it also sees the beans that Spring creates before all post-processors exist. */
    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        beans.addBeanPostProcessor(new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String beanName) {
                if (!ended) {
                    // A factory bean and its product have the same name.
                    bare.put(bean instanceof FactoryBean ? BeanFactory.FACTORY_BEAN_PREFIX + beanName : beanName, bean);
                }
                return bean;
            }
        });
    }
}

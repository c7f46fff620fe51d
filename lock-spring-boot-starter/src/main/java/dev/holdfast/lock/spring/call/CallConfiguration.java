package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.call.LockInterceptor.LockAdvisor;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.Fallbacks;
import dev.holdfast.lock.spring.declaration.LockOperationParser;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.method.LockedBeanClasses;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactoryInitializer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/** Puts locks around annotated methods. Binds single properties, because post-processors need them and must not create the bean of all properties so early. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(ProxyCreatorRegistrar.class)
public class CallConfiguration {

    /**
     * The default order of the advisor: just outside of transactions and caches, and inside of retries and security. A lower order is further out.
     */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    private static final String INTERCEPTOR = "holdfastInterceptor";

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockAdvisor holdfastAdvisor(Environment environment) {
        LockAdvisor advisor = new LockAdvisor();
        advisor.setAdviceBeanName(INTERCEPTOR);
        advisor.setOrder(
                Binder.get(environment).bind("holdfast.order", Integer.class).orElse(DEFAULT_ORDER));
        return advisor;
    }

    /** The client is looked up at the first call, because the interceptor is created before most beans. */
    @Bean(INTERCEPTOR)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockInterceptor holdfastInterceptor(LockedMethods methods, ObjectProvider<LockClient> client) {
        return new LockInterceptor(
                methods, new LockAcquirer(SingletonSupplier.of(client::getObject), methods.features()));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedBeanClasses holdfastLockedBeanClasses(ObjectProvider<LockInterceptor> locks) {
        return new LockedBeanClasses(SingletonSupplier.of(locks::getObject));
    }

    @Bean(LockedMethods.BEAN)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedMethods holdfastLockedMethods(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockSettings.Source> settings,
            ObjectProvider<LockFeature> features,
            ResultHandling.Factory results) {
        return new LockedMethods(
                new LockOperationParser(
                        beans::resolveEmbeddedValue,
                        settings.getIfAvailable(() -> new LockSettings.Source() {}),
                        new Fallbacks(beans)),
                features.orderedStream().toList(),
                results);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DeclaredLocks holdfastDeclaredLocks() {
        return new DeclaredLocks();
    }

    /**
     * Creates the beans that every proxy needs before all other beans, if a bean is initialized in the background: Spring refuses to create them on
     * its thread. Without one, the first bean with an annotated method creates them.
     */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanFactoryInitializer<ConfigurableListableBeanFactory> holdfastInitializer() {
        return beans -> {
            if (Stream.of(beans.getBeanDefinitionNames())
                    .map(beans::getBeanDefinition)
                    .anyMatch(definition ->
                            definition instanceof AbstractBeanDefinition bean && bean.isBackgroundInit())) {
                beans.getBean(INTERCEPTOR);
            }
        };
    }
}

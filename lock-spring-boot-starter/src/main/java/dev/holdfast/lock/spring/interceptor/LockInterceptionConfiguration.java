package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.interceptor.LockInterceptor.LockAdvisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;

/**
 * Makes {@code @DistributedLock} work, given a {@link LockClient}. Uses beans of type {@link LockSettings.Source}, {@link InterceptionOptions},
 * {@link LockObservations} and {@link DeclaredLocks.Check} if there are any.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(LockInterceptionConfiguration.ProxyCreatorRegistrar.class)
public class LockInterceptionConfiguration {

    static final String INTERCEPTOR = "holdfastInterceptor";

    /** Creates the configuration. */
    public LockInterceptionConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockAdvisor holdfastAdvisor(ObjectProvider<InterceptionOptions> options) {
        LockAdvisor advisor = new LockAdvisor();
        advisor.setAdviceBeanName(INTERCEPTOR);
        advisor.setOrder(options.getIfAvailable(InterceptionOptions::defaults).order());
        return advisor;
    }

    @Bean(INTERCEPTOR)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockInterceptor holdfastInterceptor(LockGuard guard) {
        return new LockInterceptor(guard);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockGuard holdfastLockGuard(
            LockOperationSource methods,
            ObjectProvider<LockClient> client,
            ObjectProvider<LockObservations> observations) {
        return new LockGuard(
                methods,
                new LockAcquirer(
                        SingletonSupplier.of(client::getObject),
                        LockObservations.lazily(observations::getIfAvailable)));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockOperationSource holdfastLockOperationSource(
            ConfigurableBeanFactory beans,
            ObjectProvider<LockSettings.Source> settings,
            ObjectProvider<InterceptionOptions> options) {
        boolean references =
                options.getIfAvailable(InterceptionOptions::defaults).beanReferences();
        LockOperationParser parser = new LockOperationParser(
                beans::resolveEmbeddedValue,
                settings.getIfAvailable(() -> new LockSettings.Source() {}),
                new Fallbacks(beans),
                references ? new BeanFactoryResolver(beans) : null);
        return new LockOperationSource(parser);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DeclaredLocks holdfastDeclaredLocks() {
        return new DeclaredLocks();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ProxiedBeans holdfastProxiedBeans() {
        return new ProxiedBeans();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DeclarationCheck holdfastDeclarationCheck(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockOperationSource> source,
            ProxiedBeans proxied,
            ObjectProvider<InterceptionOptions> options,
            DeclaredLocks declared,
            ObjectProvider<DeclaredLocks.Check> checks) {
        return new DeclarationCheck(
                beans,
                source,
                proxied,
                options.getIfAvailable(InterceptionOptions::defaults).unproxiedBeans(),
                declared,
                checks);
    }

    /**
     * Registers Spring's proxy creator. Spring Boot does so only while {@code spring.aop.auto} is on; without it, annotated methods would run
     * without their locks.
     */
    static final class ProxyCreatorRegistrar implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}

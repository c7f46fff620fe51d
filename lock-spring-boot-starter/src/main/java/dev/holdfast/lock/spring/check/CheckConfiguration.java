package dev.holdfast.lock.spring.check;

import dev.holdfast.lock.spring.call.LockedMethods;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/** Refuses to start, or warns, if a method would run without its lock. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class CheckConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ProxiedBeans holdfastProxiedBeans() {
        return new ProxiedBeans();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DeclarationCheck holdfastDeclarationCheck(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockedMethods> source,
            ProxiedBeans proxied,
            Environment environment,
            DeclaredLocks declared,
            ObjectProvider<DeclaredLocks.Check> checks) {
        return new DeclarationCheck(beans, source, proxied, UnproxiedBeans.of(environment), declared, checks);
    }

    @Bean
    static ContextHierarchyCheck holdfastContextHierarchyCheck(ApplicationContext own, Environment environment) {
        return new ContextHierarchyCheck(own, UnproxiedBeans.of(environment));
    }
}

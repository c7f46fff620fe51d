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

/** Refuses to start, or warns, if a method would run without its lock. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class CheckConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CreatedBeans holdfastCreatedBeans() {
        return new CreatedBeans();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DeclarationCheck holdfastDeclarationCheck(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockedMethods> source,
            CreatedBeans created,
            DeclaredLocks declared,
            ObjectProvider<DeclaredLocks.Check> checks) {
        return new DeclarationCheck(beans, source, created, declared, checks);
    }

    @Bean
    static ContextHierarchyCheck holdfastContextHierarchyCheck(ApplicationContext own) {
        return new ContextHierarchyCheck(own);
    }
}

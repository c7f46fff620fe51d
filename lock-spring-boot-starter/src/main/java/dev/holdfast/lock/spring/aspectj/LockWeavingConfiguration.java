package dev.holdfast.lock.spring.aspectj;

import dev.holdfast.lock.spring.interceptor.LockGuard;
import dev.holdfast.lock.spring.interceptor.LockInterceptionConfiguration;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;

/** Lets woven code take its locks, beside what {@link LockInterceptionConfiguration} does for proxies. */
@Configuration(proxyBeanMethods = false)
@Import(LockInterceptionConfiguration.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class LockWeavingConfiguration {

    /** Creates the configuration. */
    public LockWeavingConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static WeavingLink distributedLockWeavingLink(LockGuard guard) {
        return new WeavingLink(guard);
    }
}

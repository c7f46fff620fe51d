package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;

/** Runs jobs once for each tick or deployment. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class JobConfiguration {

    @Bean
    @Order(500)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AroundLock.Feature holdfastJobs() {
        return OnceOperation::of;
    }

    @Bean
    static PendingTicks holdfastPendingTicks(DeclaredLocks declared) {
        return new PendingTicks(declared);
    }
}

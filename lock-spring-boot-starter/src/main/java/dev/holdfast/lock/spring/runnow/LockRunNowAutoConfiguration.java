package dev.holdfast.lock.spring.runnow;

import dev.holdfast.lock.spring.call.LockedMethods;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;

/** Auto-configuration for runs of scheduled methods on request. */
@AutoConfiguration(afterName = "dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration")
@ConditionalOnBean(name = LockedMethods.BEAN)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockRunNowAutoConfiguration {

    @Bean
    @Order(600)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RunNow holdfastRunNow() {
        return new RunNow();
    }

    @Bean
    static RequestedRuns holdfastRequestedRuns(
            DeclaredLocks declared, ListableBeanFactory beans, ApplicationEventPublisher events) {
        return new RequestedRuns(declared, beans, events);
    }
}

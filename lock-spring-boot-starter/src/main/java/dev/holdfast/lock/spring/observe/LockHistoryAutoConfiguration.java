package dev.holdfast.lock.spring.observe;

import dev.holdfast.lock.spring.call.LockedMethods;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;

/** Auto-configuration for the histories of annotated calls, which the endpoint {@code locks} shows. */
@AutoConfiguration(afterName = "dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration")
@ConditionalOnBean(name = LockedMethods.BEAN)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockHistoryAutoConfiguration {

    @Bean
    @RegisterReflectionForBinding(CallHistory.Run.class)
    @Order(200)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CallHistories holdfastCallHistories() {
        return new CallHistories();
    }
}

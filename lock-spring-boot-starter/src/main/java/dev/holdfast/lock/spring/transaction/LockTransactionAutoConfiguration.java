package dev.holdfast.lock.spring.transaction;

import dev.holdfast.lock.spring.call.LockedMethods;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;

/** Auto-configuration for locks that are kept until the transaction around their call has completed. */
@AutoConfiguration(afterName = "dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration")
@ConditionalOnBean(name = LockedMethods.BEAN)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockTransactionAutoConfiguration {

    @Bean
    @Order(50)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static TransactionLocks holdfastTransactionLocks() {
        return new TransactionLocks();
    }
}

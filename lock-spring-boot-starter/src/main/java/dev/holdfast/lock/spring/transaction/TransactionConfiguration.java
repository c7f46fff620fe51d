package dev.holdfast.lock.spring.transaction;

import dev.holdfast.lock.spring.call.LockKeeper;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** Keeps locks until the transaction around their call has completed. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(name = "org.springframework.transaction.support.TransactionSynchronization")
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class TransactionConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockKeeper holdfastTransactions() {
        return new TransactionKeeper();
    }
}

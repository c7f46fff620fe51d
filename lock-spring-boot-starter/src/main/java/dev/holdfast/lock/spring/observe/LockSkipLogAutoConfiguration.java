package dev.holdfast.lock.spring.observe;

import dev.holdfast.lock.spring.call.LockedMethods;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;

/** Auto-configuration for the log line of a call that is skipped, with {@code holdfast.log-skips}. */
@AutoConfiguration(afterName = "dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration")
@ConditionalOnBean(name = LockedMethods.BEAN)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockSkipLogAutoConfiguration {

    @Bean
    @Order(300)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static SkippedCalls holdfastSkippedCalls() {
        return new SkippedCalls();
    }
}

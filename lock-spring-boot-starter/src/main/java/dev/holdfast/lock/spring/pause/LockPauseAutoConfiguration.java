package dev.holdfast.lock.spring.pause;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.call.LockedMethods;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.util.function.SingletonSupplier;

/** Auto-configuration for pauses of declared locks. */
@AutoConfiguration(afterName = "dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration")
@ConditionalOnBean(name = LockedMethods.BEAN)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockPauseAutoConfiguration {

    @Bean
    @Order(400)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static PausableCalls holdfastPausableCalls() {
        return new PausableCalls();
    }

    @Bean
    @Order(400)
    static RecordedPauses holdfastPauses(
            ObjectProvider<LockClient> client, DeclaredLocks declared, ApplicationEventPublisher events) {
        return new RecordedPauses(SingletonSupplier.of(client::getObject), declared, events);
    }
}

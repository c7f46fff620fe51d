package dev.holdfast.lock.spring.pause;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.util.function.SingletonSupplier;

/** Pauses declared locks. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class PauseConfiguration {

    @Bean
    @Order(400)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AroundLock.Feature holdfastPausedCalls() {
        return PausableOperation::of;
    }

    @Bean
    static LockPauses holdfastPauses(
            ObjectProvider<LockClient> client, DeclaredLocks declared, ApplicationEventPublisher events) {
        return new FleetPauses(SingletonSupplier.of(client::getObject), declared, events);
    }
}

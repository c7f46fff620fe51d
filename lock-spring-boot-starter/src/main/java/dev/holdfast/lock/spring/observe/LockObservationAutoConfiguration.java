package dev.holdfast.lock.spring.observe;

import dev.holdfast.lock.spring.call.LockedMethods;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.util.function.SingletonSupplier;

/** Auto-configuration for observations of annotated calls. They go to the application's registry; if there is none, to a registry of the starter. */
@AutoConfiguration(afterName = "dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration")
@ConditionalOnBean(name = LockedMethods.BEAN)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockObservationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockObservations holdfastObservations(
            ObjectProvider<ObservationRegistry> registry, ObjectProvider<ObservationHandler<?>> handlers) {
        return new LockObservations(registry.getIfUnique(() -> {
            ObservationRegistry own = ObservationRegistry.create();
            handlers.orderedStream().forEach(own.observationConfig()::observationHandler);
            return own;
        }));
    }

    @Bean
    @Order(100)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockObservations.ObservedCalls holdfastObservedCalls(ObjectProvider<LockObservations> observations) {
        return new LockObservations.ObservedCalls(SingletonSupplier.of(observations::getObject));
    }
}

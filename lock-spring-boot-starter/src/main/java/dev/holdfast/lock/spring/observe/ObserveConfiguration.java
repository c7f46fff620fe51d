package dev.holdfast.lock.spring.observe;

import dev.holdfast.lock.spring.call.AroundLock;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.util.function.SingletonSupplier;

/** Shows calls: as observations, as counts, and in the log. Uses a bean of type {@link LockObservations} if there is one. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class ObserveConfiguration {

    /** The bean is looked up at the first call, because the feature is created before most beans. */
    @Bean
    @Order(100)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AroundLock.Feature holdfastObservedCalls(ObjectProvider<LockObservations> observations) {
        Supplier<LockObservations> observed = SingletonSupplier.of(
                () -> observations.getIfAvailable(() -> new LockObservations(ObservationRegistry.NOOP)));
        return operation -> call -> observed.get().around(call);
    }

    @Bean
    @Order(200)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CallHistories holdfastCallHistories() {
        return new CallHistories();
    }

    @Bean
    @Order(300)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AroundLock.Feature holdfastSkippedCalls() {
        return SkippedCall::of;
    }
}

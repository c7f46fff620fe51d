package dev.holdfast.lock.spring.schedule;

import dev.holdfast.lock.spring.call.LockedMethods;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Auto-configuration that lets a locked method know that the scheduler calls it. Without it, such a call waits for its lock as any other does. */
@AutoConfiguration(afterName = "dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration")
@ConditionalOnBean(name = LockedMethods.BEAN)
public final class LockScheduleAutoConfiguration {

    /** Comes last, because a configurer of the application may set the scheduler. */
    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    static FiredTasks holdfastFiredTasks() {
        return new FiredTasks();
    }
}

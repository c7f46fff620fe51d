package dev.holdfast.lock.spring.boot;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for leader elections: those that the application defines as beans start and stop with the context, and publish their events. */
@AutoConfiguration(after = LockAutoConfiguration.class)
public final class LeaderElectionAutoConfiguration {

    @Bean
    LeaderElectionLifecycle holdfastLeaderElectionLifecycle(ListableBeanFactory beans, ApplicationContext context) {
        return new LeaderElectionLifecycle(beans, context);
    }
}

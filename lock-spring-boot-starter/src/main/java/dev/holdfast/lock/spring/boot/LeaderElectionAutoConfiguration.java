package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.leader.LeaderElection;
import java.util.Set;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for leader elections: a bean {@code <name>LeaderElection} for each name in {@code holdfast.leader-elections}. These elections,
 * and those that the application defines as beans, start and stop with the context, and publish their events.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@Import(LeaderElectionAutoConfiguration.Registrar.class)
public final class LeaderElectionAutoConfiguration {

    @Bean
    LeaderElectionLifecycle holdfastLeaderElectionLifecycle(
            ListableBeanFactory beans, ApplicationEventPublisher events) {
        return new LeaderElectionLifecycle(beans, events);
    }

    /** Registers the elections that the configuration names. */
    static final class Registrar implements BeanRegistrar {

        private static final String SUFFIX = "LeaderElection";

        @Override
        public void register(BeanRegistry registry, Environment environment) {
            Binder.get(environment)
                    .bind(LockProperties.PREFIX + ".leader-elections", Bindable.setOf(String.class))
                    .orElse(Set.of())
                    .forEach(name -> registry.registerBean(
                            name + SUFFIX,
                            LeaderElection.class,
                            spec -> spec.supplier(context -> LeaderElection.of(
                                    context.bean(LockClient.class).getLock(name)))));
        }
    }
}

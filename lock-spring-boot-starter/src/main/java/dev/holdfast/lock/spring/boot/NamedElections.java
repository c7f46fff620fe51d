package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.leader.LeaderElection;
import java.util.Set;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** The elections that the configuration names, which are registered as beans. */
final class NamedElections implements BeanRegistrar {

    private static final String SUFFIX = "LeaderElection";

    static Set<String> of(Environment environment) {
        return Binder.get(environment)
                .bind(LockProperties.PREFIX + ".leader-elections", Bindable.setOf(String.class))
                .orElse(Set.of());
    }

    @Override
    public void register(BeanRegistry registry, Environment environment) {
        of(environment)
                .forEach(name -> registry.registerBean(
                        name + SUFFIX,
                        LeaderElection.class,
                        spec -> spec.supplier(context ->
                                LeaderElection.of(context.bean(LockClient.class).getLock(name)))));
    }
}

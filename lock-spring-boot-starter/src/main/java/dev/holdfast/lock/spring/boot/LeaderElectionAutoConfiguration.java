package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.LockStartupException;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import java.util.Set;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for leader elections: a bean {@code <name>LeaderElection} for each name in {@code holdfast.leader-elections}. These elections,
 * and those that the application defines as beans, start and stop with the context, and publish their events.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@Import(NamedElections.class)
public final class LeaderElectionAutoConfiguration {

    @Bean
    LeaderElectionLifecycle holdfastLeaderElectionLifecycle(ListableBeanFactory beans, ApplicationContext context) {
        return new LeaderElectionLifecycle(beans, context);
    }

    /** Refuses a lock of an annotated method that an election holds for as long as it leads: the method would never run. */
    @Bean
    static DeclaredLocks.Check holdfastLeaderElectionCheck(Environment environment) {
        Set<String> elections = NamedElections.of(environment);
        return declared -> declared.all().stream()
                .filter(lock -> elections.contains(lock.name())
                        || (lock.key() != null
                                && elections.stream().anyMatch(name -> name.startsWith(lock.name() + ":"))))
                .findFirst()
                .ifPresent(lock -> {
                    throw new LockStartupException(
                            "The lock '" + lock.name() + "' on " + lock.method()
                                    + " is also that of an election in holdfast.leader-elections, whose leader holds it for"
                                    + " as long as it leads. The method would never run.",
                            "Rename one of them. A method that only the leader runs needs no lock: ask isLeader() in it.",
                            null);
                });
    }
}

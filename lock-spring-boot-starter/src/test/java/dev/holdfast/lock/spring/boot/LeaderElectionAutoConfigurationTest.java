package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.leader.LeaderElection;
import dev.holdfast.lock.leader.LeaderEvent;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Elections of an application. */
class LeaderElectionAutoConfigurationTest {

    private static final Duration LIMIT = Await.PATIENCE;

    private final String name = "leader-" + UUID.randomUUID();
    private final Heard heard = new Heard();

    private final ApplicationContextRunner application = Contexts.on(RedisServer.shared())
            .withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class))
            .withBean(Heard.class, () -> heard)
            .withPropertyValues("election=" + name);

    private static void awaitLeader(LeaderElection election) {
        Await.until("leads", LIMIT, election::isLeader);
    }

    @Test
    void electionOfTheApplicationLeadsAndPublishesEvents() {
        application.withUserConfiguration(Election.class).run(context -> {
            LeaderElection election = context.getBean(LeaderElection.class);
            awaitLeader(election);
            long first = election.fencingToken().orElseThrow();
            election.stepDown();
            awaitLeader(election);
            Await.until("three events", LIMIT, () -> heard.events.size() == 3);
            long second = election.fencingToken().orElseThrow();
            assertThat(heard.events)
                    .containsExactly(
                            new LeaderEvent.Granted(name, first),
                            new LeaderEvent.Revoked(name, first),
                            new LeaderEvent.Granted(name, second));
        });
    }

    @Test
    void listenersThatFailHideNoEventFromTheOthers() {
        application
                .withBean("first", Failing.class, Failing::new)
                .withUserConfiguration(Ordinary.class, Election.class)
                .run(context -> {
                    LeaderElection election = context.getBean(LeaderElection.class);
                    awaitLeader(election);
                    Await.until("granted", LIMIT, () -> heard.events.size() == 1);
                    Await.until(
                            "granted to all",
                            LIMIT,
                            () -> context.getBean(Ordinary.class).events.size() == 1);
                    election.stepDown();
                    Await.until("revoked", LIMIT, () -> heard.events.size() >= 2);
                });
    }

    /** Before and after the others in Spring's order. */
    static class Failing {
        @EventListener
        @Order(Ordered.HIGHEST_PRECEDENCE)
        void first(LeaderEvent event) {
            throw new IllegalStateException("the first listener fails on " + event);
        }

        @EventListener
        @Order(Ordered.LOWEST_PRECEDENCE)
        void last(LeaderEvent event) {
            throw new IllegalStateException("the last listener fails on " + event);
        }
    }

    /** Listeners of the usual interface are told as well, and those of other events are not. */
    static class Ordinary implements ApplicationListener<PayloadApplicationEvent<LeaderEvent.Granted>> {
        final List<LeaderEvent> events = new CopyOnWriteArrayList<>();

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<LeaderEvent.Granted> event) {
            events.add(event.getPayload());
        }
    }

    @Test
    void nextInstanceLeadsWhenTheApplicationCloses() {
        ApplicationContextRunner instance = application.withUserConfiguration(Election.class);
        instance.run(first -> {
            awaitLeader(first.getBean(LeaderElection.class));
            instance.run(second -> {
                LeaderElection next = second.getBean(LeaderElection.class);
                Await.until(
                        "waits",
                        LIMIT,
                        () -> second.getBean(LockClient.class).statistics().waiting() == 1);
                assertThat(next.isLeader()).isFalse();

                first.getSourceApplicationContext().close();
                awaitLeader(next);
            });
        });
        assertThat(heard.events).hasSize(4);
        assertThat(heard.events.get(1)).isInstanceOf(LeaderEvent.Revoked.class);
        assertThat(heard.events.get(3)).isInstanceOf(LeaderEvent.Revoked.class);
    }

    @Test
    void electionsEndAfterSchedulersAndBeforeClients() {
        assertThat(LeaderElectionLifecycle.PHASE)
                .isGreaterThan(LockClientLifecycle.PHASE)
                .isLessThan(new ThreadPoolTaskScheduler().getPhase());
    }

    @Test
    void electionLeadsAgainAfterARestartOfTheContext() {
        application.withUserConfiguration(Election.class).run(context -> {
            LeaderElection election = context.getBean(LeaderElection.class);
            awaitLeader(election);
            var lifecycle = context.getSourceApplicationContext();
            lifecycle.stop();
            assertThat(election.isLeader()).isFalse();
            lifecycle.start();
            awaitLeader(election);
            Await.until("each change was heard once", LIMIT, () -> heard.events.size() == 3);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Election {
        @Bean
        LeaderElection election(LockClient locks, @Value("${election}") String name) {
            return LeaderElection.of(locks.getLock(name), Duration.ofSeconds(20));
        }
    }

    static class Heard {
        final List<LeaderEvent> events = new CopyOnWriteArrayList<>();

        @EventListener
        void on(LeaderEvent event) {
            events.add(event);
        }
    }
}

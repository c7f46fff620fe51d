package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.leader.LeaderElection;
import dev.holdfast.lock.leader.LeaderEvent;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.testing.Await;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** An application that leads keeps its leadership over the tests that share its context, and fails none. */
@SpringBootTest(classes = LeaderInTestsTest.Application.class, properties = "spring.data.redis.port=1")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LeaderInTestsTest {

    private static final BlockingQueue<LeaderEvent> heard = new LinkedBlockingQueue<>();
    private static long firstToken;

    @Autowired
    LeaderElection election;

    @Autowired
    InMemoryLockClient locks;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        LeaderElection reports(LockClient locks) {
            return LeaderElection.of(locks.getLock("reports"));
        }

        @EventListener
        void on(LeaderEvent event) {
            heard.add(event);
        }
    }

    private static LeaderEvent next() throws InterruptedException {
        return heard.poll(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    @Order(1)
    void applicationLeads() throws InterruptedException {
        assertThat(next()).isInstanceOf(LeaderEvent.Granted.class);
        assertThat(election.isLeader()).isTrue();
        firstToken = election.fencingToken().orElseThrow();
    }

    @Test
    @Order(2)
    void nextTestFindsTheSameLeader() {
        assertThat(election.fencingToken()).hasValue(firstToken);
    }

    @Test
    @Order(3)
    void leadershipThatATestEndsIsRevokedAndGrantedAgain() throws InterruptedException {
        locks.lose("reports");

        assertThat(next()).isEqualTo(new LeaderEvent.Revoked("reports", firstToken));
        assertThat(next()).isInstanceOf(LeaderEvent.Granted.class);
        assertThat(election.isLeader()).isTrue();
    }
}

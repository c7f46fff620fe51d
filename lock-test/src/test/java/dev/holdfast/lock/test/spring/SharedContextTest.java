package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.test.InMemoryLockClient;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A context with a scheduled method, whose tests run in parallel. */
class SharedContextTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import(Jobs.class)
    static class Application {}

    static class Jobs {

        @Scheduled(fixedDelay = 1)
        @DistributedLock(name = "job")
        public void run() {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }

        @Scheduled(fixedDelay = 1)
        @DistributedLock(name = "long-job")
        public void runForLong() {
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
        }
    }

    @SpringBootTest(classes = Application.class)
    @Execution(ExecutionMode.CONCURRENT)
    static class Tests {

        @Autowired
        InMemoryLockClient locks;

        @RepeatedTest(50)
        void lockBelongsToThisTestAlone() {
            try (Lease lease = locks.getLock("order:42").acquire()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                assertThat(lease.isHeld()).isTrue();
            }
            assertThat(locks.history().entries().stream()
                            .map(entry -> entry.event())
                            .filter(event -> event != null && event.lockName().equals("order:42")))
                    .hasSize(2);
        }
    }

    @Test
    void testsDoNotDisturbEachOtherNorDoScheduledMethods() {
        EngineTestKit.engine("junit-jupiter")
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "4")
                .selectors(selectClass(Tests.class))
                .execute()
                .testEvents()
                .assertStatistics(stats -> stats.succeeded(50).failed(0));
    }
}

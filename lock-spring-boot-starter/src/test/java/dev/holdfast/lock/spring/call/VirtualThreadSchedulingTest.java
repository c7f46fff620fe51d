package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

/** A scheduler as {@code spring.threads.virtual.enabled} makes it: each tick has a virtual thread of its own. */
@EnabledForJreRange(min = JRE.JAVA_25)
class VirtualThreadSchedulingTest {

    @Test
    void eachTickRunsUnderItsLock() {
        try (Locked app = Locked.application(Scheduling.class, Report.class)) {
            Report report = app.bean(Report.class);
            Await.until("three runs", Await.PATIENCE, () -> report.runs().size() >= 3);
            assertThat(report.runs())
                    .allSatisfy(
                            run -> assertThat(run).startsWith("VirtualThread[").endsWith(" under report"));
        }
    }

    static class Report {

        private final List<String> runs = new CopyOnWriteArrayList<>();

        @Scheduled(fixedRate = 20)
        @DistributedLock(name = "report", onBusy = OnBusy.SKIP)
        public void run() {
            runs.add(Thread.currentThread() + " under " + LockContext.current().lockName());
        }

        public List<String> runs() {
            return runs;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {

        @Bean
        SimpleAsyncTaskScheduler taskScheduler() {
            SimpleAsyncTaskScheduler scheduler = new SimpleAsyncTaskScheduler();
            scheduler.setVirtualThreads(true);
            return scheduler;
        }
    }
}

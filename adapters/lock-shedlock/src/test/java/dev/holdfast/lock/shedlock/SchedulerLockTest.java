package dev.holdfast.lock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** An application that keeps {@code @SchedulerLock}, and one that moves a job to {@code @DistributedLock}. */
class SchedulerLockTest {

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SslAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        AopAutoConfiguration.class,
                        LockAutoConfiguration.class,
                        LockInterceptorAutoConfiguration.class,
                        LockShedLockAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.port=" + RedisServer.shared().port())
                .withUserConfiguration(Scheduling.class)
                .withBean(Jobs.class);
    }

    @Test
    void jobRunsUnderTheLockOfTheClient() {
        application().run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            LockClient client = context.getBean(LockClient.class);
            jobs.report(() -> {
                LockAssert.assertLocked();
                LockExtender.extendActiveLock(Duration.ofMinutes(20), Duration.ZERO);
                Lease lease = HoldfastLockProvider.currentLease().orElseThrow();
                assertThat(lease.lockName()).isEqualTo("shedlock-test-report");
                assertThat(lease.remaining()).isGreaterThan(Duration.ofMinutes(15));
                assertThat(lease.fencingToken()).isPositive();
                assertThat(client.inspect("shedlock-test-report")).isPresent();
            });
            assertThat(client.inspect("shedlock-test-report")).isEmpty();
            assertThat(HoldfastLockProvider.currentLease()).isEmpty();
        });
    }

    @Test
    void jobsUnderEitherAnnotationExcludeEachOther() {
        application().run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            AtomicBoolean ran = new AtomicBoolean();
            jobs.moved(() -> onAnotherThread(() -> jobs.report(() -> ran.set(true))));
            assertThat(ran).isFalse();
            jobs.report(() -> onAnotherThread(() -> jobs.moved(() -> ran.set(true))));
            assertThat(ran).isFalse();
            jobs.moved(() -> ran.set(true));
            assertThat(ran).isTrue();
        });
    }

    @Test
    void providerOfTheApplicationStays() {
        LockProvider own = configuration -> Optional.empty();
        application()
                .withBean(LockProvider.class, () -> own)
                .run(context -> assertThat(context.getBean(LockProvider.class)).isSameAs(own));
    }

    @Test
    void propertiesReachTheProvider() {
        application()
                .withPropertyValues("holdfast.shedlock.renew=true", "holdfast.shedlock.wait-time=100ms")
                .run(context -> context.getBean(Jobs.class)
                        .report(() -> assertThat(
                                        context.getBean(LockClient.class).heldLocks())
                                .singleElement()
                                .satisfies(held -> assertThat(held.renewed()).isTrue())));
    }

    private static void onAnotherThread(Runnable work) {
        Thread thread = new Thread(work);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableSchedulerLock(defaultLockAtMostFor = "10m")
    static class Scheduling {}

    static class Jobs {
        @SchedulerLock(name = "shedlock-test-report")
        public void report(Runnable work) {
            work.run();
        }

        @DistributedLock(name = "shedlock-test-report", onBusy = OnBusy.SKIP)
        public void moved(Runnable work) {
            work.run();
        }
    }
}

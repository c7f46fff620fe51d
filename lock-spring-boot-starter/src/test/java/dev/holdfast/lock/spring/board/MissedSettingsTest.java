package dev.holdfast.lock.spring.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration;
import dev.holdfast.lock.testing.RedisServer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class MissedSettingsTest {

    @Test
    void missedTicksOfALockWithoutTicksAreRefused() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        LockAutoConfiguration.class,
                        AopAutoConfiguration.class,
                        LockInterceptorAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + RedisServer.shared().port(),
                        "holdfast.locks.report.missed=run-once")
                .withBean(Report.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("'missed = RUN_ONCE' means nothing here"));
    }

    static class Report {

        @DistributedLock(name = "report")
        public void write() {}
    }
}

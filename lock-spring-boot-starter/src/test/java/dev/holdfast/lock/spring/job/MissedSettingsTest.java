package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.boot.Contexts;
import dev.holdfast.lock.testing.RedisServer;
import org.junit.jupiter.api.Test;

class MissedSettingsTest {

    @Test
    void missedTicksOfALockWithoutTicksAreRefused() {
        Contexts.locked(RedisServer.shared())
                .withPropertyValues("holdfast.locks.report.missed=run-once")
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

package dev.holdfast.lock.spring.pause;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.boot.Contexts;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.testing.RedisServer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;

/** From lines of a configuration to locks that can be paused. */
class PauseSettingsTest {

    private final ApplicationContextRunner application =
            Contexts.locked(RedisServer.shared()).withBean(Jobs.class);

    @Test
    void settingForAllLocksIsForScheduledMethods() {
        application
                .withPropertyValues("holdfast.pausable=true")
                .run(context -> assertThat(pausable(context)).containsExactly("nightly-report"));
    }

    @Test
    void settingOfALockOverridesThatOfAll() {
        application
                .withPropertyValues(
                        "holdfast.pausable=true",
                        "holdfast.locks.nightly-report.pausable=false",
                        "holdfast.locks.order.pausable=true")
                .run(context -> assertThat(pausable(context)).containsExactly("order"));
    }

    @Test
    void lockThatRunsWithoutItsLockCannotBePaused() {
        application
                .withPropertyValues("holdfast.locks.order.pausable=true", "holdfast.locks.order.bypass=true")
                .run(context -> assertThat(pausable(context)).isEmpty());
    }

    @Test
    void settingMayStayWhereTheSwitchOfAllLocksIsOff() {
        application
                .withPropertyValues(
                        "holdfast.enabled=false", "holdfast.pausable=true", "holdfast.locks.order.pausable=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static Stream<String> pausable(ApplicationContext context) {
        return context.getBean(DeclaredLocks.class).all().stream()
                .filter(lock -> RecordedPauses.isPausable(lock.settings()))
                .map(DeclaredLock::name);
    }

    static class Jobs {

        @Scheduled(cron = "0 0 0 1 1 *")
        @DistributedLock(name = "nightly-report")
        public void report() {}

        @DistributedLock(name = "order")
        public void order() {}
    }
}

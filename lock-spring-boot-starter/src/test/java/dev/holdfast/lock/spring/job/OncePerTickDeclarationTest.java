package dev.holdfast.lock.spring.job;

import static dev.holdfast.lock.spring.fixture.StartUp.assertFine;
import static dev.holdfast.lock.spring.fixture.StartUp.refused;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.spring.fixture.StartUp;
import dev.holdfast.lock.spring.fixture.StartUp.Refusal;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Scheduled;

/** {@code @OncePerTick} where there are no ticks, or nobody to keep them, fails startup and says what to write instead. */
class OncePerTickDeclarationTest {

    static Stream<Refusal> refusals() {
        return Stream.of(
                refused(NoSchedule.class, "NoSchedule.run()", "has no @Scheduled", "'cron' or 'fixedRate'"),
                refused(
                        Delay.class,
                        "Delay.run()",
                        "'fixedDelay' counts from the end of a run",
                        "Use 'cron' or 'fixedRate'"),
                refused(Once.class, "a one-time task has no ticks"),
                refused(BadCron.class, "cannot be read"),
                refused(Unresolved.class, "${job.cron}", "Define the property"),
                refused(Nameless.class, "the lock has no name"),
                refused(
                        TwoLocks.class,
                        "'@OncePerTick' does not go with other locks of the same method",
                        "Take the other lock in the method"),
                refused(Counted.class, "a skipped call has nothing to return as int"),
                refused(
                        RetryWithoutWait.class,
                        "'onFailure = RETRY' needs instances that wait",
                        "Give 'waitTime' the time that a run takes"),
                refused(TickOfSchedule.class, "'tick' does not go with @Scheduled", "Remove one of them"),
                refused(MisspelledTick.class, "uses '#att', which is not a parameter"),
                // Spring schedules a method by its own annotations, and not by those of a method that it overrides.
                refused(Overriding.class, "Overriding.run()", "does not schedule", "Repeat @Scheduled"),
                refused(OfInterface.class, "OfInterface.run()", "does not schedule"),
                refused(FromNoBean.class, "cannot be read", "'source'"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void declarationThatCannotWorkIsRefused(Refusal refusal) {
        refusal.check();
    }

    /** Without its lock, each instance would run each tick. */
    @Test
    void bypassOfTheLockIsRefused() {
        for (Class<?> bean : List.of(GivenTick.class, Migration.class)) {
            assertThatThrownBy(() -> Locked.application(Bypassed.class, bean))
                    .hasRootCauseInstanceOf(InvalidLockDeclarationException.class)
                    .hasStackTraceContaining("'bypass' is set for the lock 'job'")
                    .hasStackTraceContaining("pause the lock");
        }
    }

    static class Bypassed implements LockSettings.Source {
        @Override
        public LockSettings named(String declaredName) {
            return new LockSettings(true, null, null, null, null, null, null, null, null);
        }
    }

    static class Migration {
        @RunOnce(name = "job", per = "1")
        public void run() {}
    }

    static class NoSchedule {
        @OncePerTick("job")
        public void run() {}
    }

    static class TickOfSchedule {
        @Scheduled(fixedRate = 1000)
        @OncePerTick(name = "job", tick = "#root.target.at")
        public void run() {}
    }

    static class MisspelledTick {
        @OncePerTick(name = "job", tick = "#att")
        public void run(Instant at) {}
    }

    static class GivenTick {
        @OncePerTick(name = "job", tick = "#at")
        public void run(Instant at) {}
    }

    abstract static class Scheduling {
        @Scheduled(fixedRate = 1000)
        @OncePerTick("job")
        public void run() {}
    }

    static class Overriding extends Scheduling {
        @Override
        public void run() {}
    }

    interface ScheduledByInterface {
        @Scheduled(fixedRate = 1000)
        @OncePerTick("job")
        void run();
    }

    static class OfInterface implements ScheduledByInterface {
        @Override
        public void run() {}
    }

    static class Inherits extends Scheduling {}

    /** As Spring reads it. */
    @Test
    void scheduleFromABeanIsFine() {
        StartUp.start(context -> context.registerBean("source", Source.class), FromABean.class)
                .close();
    }

    public static class Source {
        public String cron() {
            return "0 0 2 * * *";
        }
    }

    static class FromABean {
        @Scheduled(cron = "#{@source.cron()}", zone = "#{'UTC'}")
        @OncePerTick("job")
        public void run() {}
    }

    static class FromNoBean {
        @Scheduled(fixedRateString = "#{@source.cron()}")
        @OncePerTick("job")
        public void run() {}
    }

    static class Delay {
        @Scheduled(fixedDelay = 1000)
        @OncePerTick("job")
        public void run() {}
    }

    static class Once {
        @Scheduled(initialDelay = 1000)
        @OncePerTick("job")
        public void run() {}
    }

    static class BadCron {
        @Scheduled(cron = "often")
        @OncePerTick("job")
        public void run() {}
    }

    static class Unresolved {
        @Scheduled(cron = "${job.cron}")
        @OncePerTick("job")
        public void run() {}
    }

    static class Nameless {
        @Scheduled(fixedRate = 1000)
        @OncePerTick
        public void run() {}
    }

    static class TwoLocks {
        @Scheduled(fixedRate = 1000)
        @OncePerTick("job")
        @DistributedLock(name = "other")
        public void run() {}
    }

    static class Counted {
        @Scheduled(fixedRate = 1000)
        @OncePerTick("job")
        public int run() {
            return 1;
        }
    }

    static class RetryWithoutWait {
        @Scheduled(cron = "0 0 * * * *")
        @OncePerTick(name = "job", onFailure = OnFailure.RETRY)
        public void run() {}
    }

    @ParameterizedTest
    @ValueSource(classes = {Fine.class, GivenTick.class, Inherits.class})
    void schedulesWithTicksAreFine(Class<?> bean) {
        assertFine(bean);
    }

    static class Fine {
        @Scheduled(cron = "0 0 2 * * *", zone = "Europe/Berlin")
        @Scheduled(cron = "${job.second:-}")
        @OncePerTick("cron")
        public void cron() {}

        @Scheduled(
                fixedRateString = "${job.rate:5}",
                timeUnit = java.util.concurrent.TimeUnit.MINUTES,
                initialDelay = 1)
        @OncePerTick("rate")
        public void rate() {}

        @Scheduled(fixedRateString = "PT15M")
        @OncePerTick(name = "iso", onFailure = OnFailure.RETRY, waitTime = "10m")
        public void iso() {}

        @EveryHour("composed")
        public void composed() {}
    }

    @Scheduled(cron = "0 0 * * * *")
    @OncePerTick
    @Retention(RetentionPolicy.RUNTIME)
    @interface EveryHour {
        @AliasFor(annotation = OncePerTick.class, attribute = "name")
        String value();
    }
}

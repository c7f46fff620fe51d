package dev.holdfast.lock.spring.job;

import static dev.holdfast.lock.spring.fixture.StartUp.assertFine;
import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.fixture.StartUp;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Scheduled;

/** {@code oncePerTick} where there are no ticks, or nobody to keep them, fails startup and says what to write instead. */
class OncePerTickDeclarationTest {

    @Test
    void methodWithoutAScheduleIsRefused() {
        assertRefused(NoSchedule.class, "NoSchedule.run()", "has no @Scheduled", "'cron' or 'fixedRate'");
    }

    static class NoSchedule {
        @DistributedLock(name = "job", oncePerTick = true)
        public void run() {}
    }

    @Test
    void tickThatNobodyNeedsIsRefused() {
        assertRefused(TickOfSchedule.class, "'tick' does not go with @Scheduled", "Remove one of them");
        assertRefused(TickOfEveryCall.class, "'tick = #at' means nothing here", "add 'oncePerTick'");
        assertRefused(MisspelledTick.class, "uses '#att', which is not a parameter");
        assertFine(GivenTick.class);
    }

    static class TickOfSchedule {
        @Scheduled(fixedRate = 1000)
        @DistributedLock(name = "job", oncePerTick = true, tick = "#root.target.at")
        public void run() {}
    }

    static class TickOfEveryCall {
        @DistributedLock(name = "job", tick = "#at")
        public void run(Instant at) {}
    }

    static class MisspelledTick {
        @DistributedLock(name = "job", oncePerTick = true, tick = "#att")
        public void run(Instant at) {}
    }

    static class GivenTick {
        @DistributedLock(name = "job", oncePerTick = true, tick = "#at")
        public void run(Instant at) {}
    }

    /** Spring schedules a method by its own annotations, and not by those of a method that it overrides. */
    @Test
    void scheduleOfAnOverriddenMethodIsRefused() {
        assertRefused(Overriding.class, "Overriding.run()", "does not schedule", "Repeat @Scheduled");
        assertRefused(OfInterface.class, "OfInterface.run()", "does not schedule");
        assertFine(Inherits.class);
    }

    abstract static class Scheduling {
        @Scheduled(fixedRate = 1000)
        @DistributedLock(name = "job", oncePerTick = true)
        public void run() {}
    }

    static class Overriding extends Scheduling {
        @Override
        public void run() {}
    }

    interface ScheduledByInterface {
        @Scheduled(fixedRate = 1000)
        @DistributedLock(name = "job", oncePerTick = true)
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
        assertRefused(FromNoBean.class, "cannot be read", "'source'");
    }

    public static class Source {
        public String cron() {
            return "0 0 2 * * *";
        }
    }

    static class FromABean {
        @Scheduled(cron = "#{@source.cron()}", zone = "#{'UTC'}")
        @DistributedLock(name = "job", oncePerTick = true)
        public void run() {}
    }

    static class FromNoBean {
        @Scheduled(fixedRateString = "#{@source.cron()}")
        @DistributedLock(name = "job", oncePerTick = true)
        public void run() {}
    }

    @Test
    void scheduleWithoutTicksIsRefused() {
        assertRefused(
                Delay.class, "Delay.run()", "'fixedDelay' counts from the end of a run", "Use 'cron' or 'fixedRate'");
        assertRefused(Once.class, "a one-time task has no ticks");
        assertRefused(BadCron.class, "cannot be read");
        assertRefused(Unresolved.class, "${job.cron}", "Define the property");
    }

    static class Delay {
        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job", oncePerTick = true)
        public void run() {}
    }

    static class Once {
        @Scheduled(initialDelay = 1000)
        @DistributedLock(name = "job", oncePerTick = true)
        public void run() {}
    }

    static class BadCron {
        @Scheduled(cron = "often")
        @DistributedLock(name = "job", oncePerTick = true)
        public void run() {}
    }

    static class Unresolved {
        @Scheduled(cron = "${job.cron}")
        @DistributedLock(name = "job", oncePerTick = true)
        public void run() {}
    }

    @Test
    void lockWithSeveralHoldersOrPlacesIsRefused() {
        assertRefused(Permits.class, "that several calls can hold");
        assertRefused(Read.class, "kind = REENTRANT or FAIR");
        assertRefused(Keys.class, "'oncePerTick' does not go with 'keys'");
        assertRefused(TwoLocks.class, "other locks of the same method", "Take the other lock in the method");
        assertRefused(Counted.class, "a skipped call has nothing to return as int");
    }

    static class Permits {
        @Scheduled(fixedRate = 1000)
        @DistributedLock(name = "job", permits = "2", oncePerTick = true)
        public void run() {}
    }

    static class Read {
        @Scheduled(fixedRate = 1000)
        @DistributedLock(name = "job", kind = LockKind.READ, oncePerTick = true)
        public void run() {}
    }

    static class Keys {
        @Scheduled(fixedRate = 1000)
        @DistributedLock(name = "job", keys = "#root.target.names()", oncePerTick = true)
        public void run() {}

        public List<String> names() {
            return List.of("a");
        }
    }

    static class TwoLocks {
        @Scheduled(fixedRate = 1000)
        @DistributedLock(name = "job", oncePerTick = true)
        @DistributedLock(name = "other")
        public void run() {}
    }

    static class Counted {
        @Scheduled(fixedRate = 1000)
        @DistributedLock(name = "job", oncePerTick = true)
        public int run() {
            return 1;
        }
    }

    @Test
    void retryThatNobodyWaitsForIsRefused() {
        assertRefused(
                RetryWithoutWait.class,
                "'onFailure = RETRY' needs instances that wait",
                "Give 'waitTime' the time that a run takes");
        assertRefused(RetryOfEveryCall.class, "'onFailure = RETRY' means nothing here", "add 'oncePerTick'");
    }

    static class RetryWithoutWait {
        @Scheduled(cron = "0 0 * * * *")
        @DistributedLock(name = "job", oncePerTick = true, onFailure = OnFailure.RETRY, onBusy = OnBusy.SKIP)
        public void run() {}
    }

    static class RetryOfEveryCall {
        @DistributedLock(name = "job", onFailure = OnFailure.RETRY)
        public void run() {}
    }

    @Test
    void schedulesWithTicksAreFine() {
        assertFine(Fine.class);
    }

    static class Fine {
        @Scheduled(cron = "0 0 2 * * *", zone = "Europe/Berlin")
        @Scheduled(cron = "${job.second:-}")
        @DistributedLock(name = "cron", oncePerTick = true)
        public void cron() {}

        @Scheduled(
                fixedRateString = "${job.rate:5}",
                timeUnit = java.util.concurrent.TimeUnit.MINUTES,
                initialDelay = 1)
        @DistributedLock(name = "rate", kind = LockKind.FAIR, oncePerTick = true)
        public void rate() {}

        @Scheduled(fixedRateString = "PT15M")
        @DistributedLock(
                name = "iso",
                oncePerTick = true,
                onFailure = OnFailure.RETRY,
                onBusy = OnBusy.SKIP,
                waitTime = "10m")
        public void iso() {}
    }
}

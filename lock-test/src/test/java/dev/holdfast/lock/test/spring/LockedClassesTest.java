package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnEveryInstance;
import dev.holdfast.lock.spring.OncePerTick;
import jakarta.annotation.PreDestroy;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

/** Which declarations the check of class files finds, and which it leaves alone. */
@ExtendWith(OutputCaptureExtension.class)
class LockedClassesTest {

    @Test
    void checkFailsWithAllFindings() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> LockedClasses.check(WrongKey.class, WrongResult.class))
                .withMessageStartingWith("The application would not start:\n- ")
                .withMessageContaining("WrongKey")
                .withMessageContaining(
                        "\n- @DistributedLock on dev.holdfast.lock.test.spring.LockedClassesTest$WrongResult");
    }

    @Test
    void callThroughThisIsFine() {
        LockedClasses.check(Payments.class);
    }

    @Test
    void findingsAreOnlyInTheReport(CapturedOutput output) {
        assertThat(LockedClasses.findings(WrongKey.class, WrongResult.class)).hasSize(2);
        assertThat(output.getAll().lines().filter(line -> line.contains("WARN") && line.contains("WrongKey")))
                .isEmpty();
    }

    @Test
    void declarationsThatStartupRefusesAreFound() {
        assertFound(List.of("Callback.fill()", "when it destroys the bean"), Callback.class);
        assertFound(List.of("WrongKey.pay("), WrongKey.class);
        assertFound(List.of("WrongResult.rows("), WrongResult.class);
        assertFound(List.of("private method"), Unproxied.class);
    }

    private static void assertFound(List<String> parts, Class<?>... classes) {
        assertThat(LockedClasses.findings(classes)).singleElement().asString().contains(parts);
    }

    @Test
    void namesThatOverlapAreFound() {
        assertFound(List.of("One name is one kind of lock"), OfName.class, OfOtherKind.class);
    }

    @Test
    void whatOnlyTheApplicationKnowsIsLeftToItsStartup() {
        LockedClasses.check(Configured.class);
        assertFound(List.of("WrongKey.pay(java.lang.String)"), Configured.class, WrongKey.class);
    }

    @Test
    void packageIsSearchedWithoutTests() {
        assertThat(LockedClasses.findings("dev.holdfast.lock.test")).isEmpty();
        LockedClasses.check("dev.holdfast.lock.spring", "dev.holdfast.lock.test.spring");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockedClasses.check("com.example.misspelled"))
                .withMessageContaining("'com.example.misspelled'");
    }

    @Test
    void scheduledMethodThatRunsOnEveryInstanceIsNamed() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> LockedClasses.check(Jobs.class).everyScheduledMethodHasALock())
                .withMessage("Scheduled methods do not say on which instances they run:"
                        + "\n- dev.holdfast.lock.test.spring.LockedClassesTest$Jobs.both() has a lock and"
                        + " @OnEveryInstance. Remove one of them"
                        + "\n- dev.holdfast.lock.test.spring.LockedClassesTest$Jobs.forgotten() runs on every instance."
                        + " Add @OncePerTick, or @OnEveryInstance if that is what it should do"
                        + "\n- dev.holdfast.lock.test.spring.LockedClassesTest$Jobs.often() runs on every instance."
                        + " Add @OncePerTick, or @OnEveryInstance if that is what it should do");
    }

    @Test
    void scheduledMethodWhoseClassHasTheLockIsFine() {
        LockedClasses.check(LockedJobs.class).everyScheduledMethodHasALock();
    }

    @Test
    void scheduledMethodOfASupertypeIsThatOfTheBean() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> LockedClasses.check(BaseJob.class, Inheriting.class, Overriding.class)
                        .everyScheduledMethodHasALock())
                .withMessageContaining("BaseJob.work()")
                .satisfies(failure -> assertThat(failure.getMessage().lines()).hasSize(2));
        LockedClasses.check(BaseJob.class, Overriding.class).everyScheduledMethodHasALock();
    }

    @Test
    void lockOfAnotherLibraryIsALock() {
        LockedClasses.check(OtherLibrary.class).everyScheduledMethodHasALock(OtherLock.class);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> LockedClasses.check(OtherLibrary.class).everyScheduledMethodHasALock());
    }

    static class Jobs {
        @Scheduled(cron = "0 0 2 * * *")
        @OncePerTick("report")
        public void report() {}

        @Scheduled(cron = "0 0 3 * * *")
        public void forgotten() {}

        @Scheduled(fixedRate = 1_000)
        @Scheduled(fixedDelay = 5_000)
        public void often() {}

        @Scheduled(fixedDelay = 1_000)
        @OnEveryInstance
        public void refresh() {}

        @Scheduled(fixedDelay = 1_000)
        @OnEveryInstance
        @DistributedLock(name = "both")
        public void both() {}
    }

    static class LockedJobs {
        @Scheduled(fixedDelay = 1_000)
        @DistributedLock(name = "jobs")
        public void work() {}
    }

    abstract static class BaseJob {
        @Scheduled(fixedDelay = 1_000)
        public void work() {}
    }

    static class Inheriting extends BaseJob {}

    /** Spring does not schedule the override. */
    static class Overriding extends BaseJob {
        @Override
        public void work() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface OtherLock {}

    static class OtherLibrary {
        @Scheduled(fixedDelay = 1_000)
        @OtherLock
        public void work() {}
    }

    static class Payments {
        public void payAll(List<String> ids) {
            for (String id : ids) {
                pay(id, 3L);
            }
        }

        @DistributedLock(name = "order", key = "#id")
        public void pay(String id, long cents) {}
    }

    static class Callback {
        @PreDestroy
        @DistributedLock(name = "cache")
        public void fill() {}
    }

    static class WrongKey {
        @DistributedLock(name = "order", key = "#orderId")
        public void pay(String id) {}
    }

    static class WrongResult {
        @DistributedLock(name = "rows")
        public Supplier<String> rows() {
            return () -> "";
        }
    }

    static class Unproxied {
        @DistributedLock(name = "secret")
        private void work() {}
    }

    static class OfName {
        @DistributedLock(name = "one")
        public void work() {}
    }

    static class OfOtherKind {
        @DistributedLock(name = "one", kind = LockKind.FAIR)
        public void work() {}
    }

    static class Configured {
        @DistributedLock(name = "${shop.lock}", waitTime = "${shop.wait}")
        public void work() {}

        @DistributedLock(name = "busy", fallback = "work")
        public void answered() {}
    }
}

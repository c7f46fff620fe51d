package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.core.env.MapPropertySource;

/** Settings of single locks that change while the application runs, as Spring Cloud announces it. */
@ExtendWith(OutputCaptureExtension.class)
class ChangedSettingsTest {

    private final Map<String, Object> source = new ConcurrentHashMap<>();

    @Test
    void killSwitchWorksInBothDirections(CapturedOutput output) {
        run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            assertThat(jobs.report()).isTrue();
            change(context, "holdfast.locks.report.enabled", "false");
            assertThat(jobs.report()).isFalse();
            assertThat(jobs.cleanUp()).isTrue();
            assertThat(output.toString().lines().filter(line -> line.contains("These locks are switched off")))
                    .singleElement()
                    .asString()
                    .contains("WARN")
                    .endsWith("from now on: report.");
            source.remove("holdfast.locks.report.enabled");
            announce(context);
            assertThat(jobs.report()).isTrue();
        });
    }

    @Test
    void timesAndPoliciesApplyToTheNextCall() {
        run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            try (Lease held =
                    context.getBean(LockClient.class).getLock("report").acquire()) {
                assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(jobs::report);
                change(context, "holdfast.locks.report.on-busy", "skip");
                assertThat(jobs.report()).isNull();
                assertThat(held.isHeld()).isTrue();
            }
            change(context, "holdfast.locks.report.lease-time", "7s");
            assertThat(jobs.report()).isTrue();
            assertThat(declared(context, "report").settings())
                    .satisfies(settings -> assertThat(settings.leaseTime()).isEqualTo(Duration.ofSeconds(7)))
                    .satisfies(settings -> assertThat(settings.onBusy()).isEqualTo(OnBusy.SKIP));
        });
    }

    @Test
    void callThatRunsKeepsItsLock() {
        run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            assertThat(jobs.report(() -> change(context, "holdfast.locks.report.enabled", "false")))
                    .isTrue();
            assertThat(jobs.report()).isFalse();
            assertThat(context.getBean(LockClient.class).getLock("report").tryAcquire())
                    .get()
                    .satisfies(Lease::close);
        });
    }

    @Test
    void valueThatIsOutOfBoundsChangesNothing(CapturedOutput output) {
        refuses("holdfast.locks.report.lease-time", "25h", output, "holdfast.locks.report.lease-time", "at most 24 h");
    }

    @Test
    void valueThatCannotBeReadChangesNothing(CapturedOutput output) {
        refuses("holdfast.locks.clean-up.enabled", "maybe", output, "holdfast.locks.clean-up.enabled", "maybe");
    }

    @Test
    void durationWithoutAUnitChangesNothing(CapturedOutput output) {
        refuses("holdfast.locks.report.wait-time", "5", output, "holdfast.locks.report.wait-time", "no unit");
    }

    @Test
    void valueThatTheAnnotationContradictsChangesNothing(CapturedOutput output) {
        refuses("holdfast.locks.clean-up.max-hold", "1m", output, "'leaseTime' must not be longer", "clean-up");
    }

    @Test
    void policyThatTheMethodCannotHaveChangesNothing(CapturedOutput output) {
        refuses("holdfast.locks.clean-up.on-busy", "skip", output, "Jobs.cleanUp", "nothing to return as boolean");
    }

    @Test
    void settingOfAnUnknownLockChangesNothing(CapturedOutput output) {
        refuses("holdfast.locks.raport.enabled", "false", output, "holdfast.locks.raport", "Declared names");
    }

    @Test
    void misspelledSettingChangesNothing(CapturedOutput output) {
        refuses("holdfast.locks.report.enable", "false", output, "holdfast.locks.report.enable", "no setting");
    }

    @Test
    void numberOfPermitsNeedsARestart(CapturedOutput output) {
        refuses("exports.at-once", "3", output, "'permits'", "needs a restart");
    }

    @Test
    void nameOfALockNeedsARestart(CapturedOutput output) {
        refuses("exports.name", "imports", output, "'name'", "needs a restart");
    }

    @Test
    void switchOfAllLocksNeedsARestartAndSaysSo(CapturedOutput output) {
        run(context -> {
            change(context, "holdfast.enabled", "false");
            assertThat(context.getBean(Jobs.class).report()).isTrue();
            assertThat(output).contains("WARN", "holdfast.enabled takes effect at the next start");
        });
    }

    @Test
    void changeOfOtherPropertiesIsSilent(CapturedOutput output) {
        run(context -> {
            change(context, "my.own.property", "1");
            assertThat(context.getBean(Jobs.class).report()).isTrue();
            assertThat(output).doesNotContain("ettings");
        });
    }

    /** Together with a good setting, which does not apply either. */
    private void refuses(String property, String value, CapturedOutput output, String... reasons) {
        run(context -> {
            source.put("holdfast.locks.report.min-hold", "1ms");
            change(context, property, value);
            assertThat(context.getBean(Jobs.class).report()).isTrue();
            assertThat(context.getBean(Jobs.class).cleanUp()).isTrue();
            assertThat(context.getBean(Jobs.class).export()).isTrue();
            assertThat(declared(context, "report").settings().minHold()).isNull();
            assertThat(output.toString().lines().filter(line -> line.contains("ERROR")))
                    .singleElement()
                    .asString()
                    .contains(reasons)
                    .contains("All locks keep their settings");
            // The next change is not held up by a refused one.
            source.remove(property);
            announce(context);
            assertThat(declared(context, "report").settings().minHold()).hasMillis(1);
        });
    }

    private void run(Consumer<AssertableApplicationContext> test) {
        Contexts.locked(RedisServer.shared())
                .withInitializer(context ->
                        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("remote", source)))
                .withBean(Jobs.class)
                .withPropertyValues("holdfast.key-prefix=" + getClass().getSimpleName() + ":", "holdfast.wait-time=0s")
                .run(test::accept);
    }

    private void change(AssertableApplicationContext context, String property, String value) {
        source.put(property, value);
        announce(context);
    }

    private static void announce(AssertableApplicationContext context) {
        context.publishEvent(new EnvironmentChangeEvent(Set.of()));
    }

    private static DeclaredLock declared(AssertableApplicationContext context, String name) {
        return context.getBean(DeclaredLocks.class).all().stream()
                .filter(lock -> lock.name().equals(name))
                .findAny()
                .orElseThrow();
    }

    static class Jobs {

        @DistributedLock(name = "report")
        public Boolean report() {
            return isLocked();
        }

        @DistributedLock(name = "report")
        public Boolean report(Runnable meanwhile) {
            meanwhile.run();
            return isLocked();
        }

        @DistributedLock(name = "clean-up", leaseTime = "2m")
        public boolean cleanUp() {
            return isLocked();
        }

        @DistributedLock(name = "${exports.name:export}", permits = "${exports.at-once:2}")
        public boolean export() {
            return isLocked();
        }

        private static boolean isLocked() {
            return LockContext.find().isPresent();
        }
    }
}

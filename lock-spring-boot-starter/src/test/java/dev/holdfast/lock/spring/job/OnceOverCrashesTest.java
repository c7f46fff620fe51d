package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three processes. One is killed in the middle of a run, and one stands still for longer than its lease. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Nightly(
        inEachBuild =
                "OncePerTickTest, RunOnceTest and TakeOverTest of lock-test, and a process that is killed in the sample's FleetTest")
@OneAtATime
class OnceOverCrashesTest {

    private static final int TICKS = 60;

    private static final String PREFIX = "crashes-" + System.nanoTime() + ":";
    private static final List<InstanceProcess> instances = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        for (int i = 0; i < 3; i++) {
            instances.add(InstanceProcess.start(PREFIX));
        }
    }

    @AfterAll
    static void stop() {
        instances.forEach(InstanceProcess::close);
    }

    @Test
    void sixtyTicksRunSixtyTimes() throws Exception {
        try (Locked schedule = Locked.instance(PREFIX, InstanceProcess.Job.class)) {
            List<Integer> runs = new ArrayList<>();
            for (int tick = 1; tick <= TICKS; tick++) {
                nextTick(schedule);
                if (tick == TICKS / 3) {
                    runs.add(1 + tickOfAKilledInstance());
                } else if (tick == 2 * TICKS / 3) {
                    runs.add(1);
                    tick++;
                    runs.add(tickAfterAnInstanceThatStandsStill(schedule));
                } else {
                    runs.add(firedByAll());
                }
            }
            assertThat(runs).hasSize(TICKS).containsOnly(1);
        }
    }

    /** Replaces the last tick by one of a year before. */
    private static void nextTick(Locked schedule) {
        try (Lease holder = schedule.locks()
                .getLock("job")
                .acquire(AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1)))) {
            schedule.locks().getRecord("job").write(holder, "tick 2020-01-01T00:00:00Z", Duration.ofHours(1));
        }
    }

    /** Another instance is the first each time. The scheduler's thread of the last one is busy, and it fires when the others have ended. */
    private int firedByAll() throws IOException {
        Collections.rotate(instances, 1);
        instances.get(0).fire();
        instances.get(1).fire();
        int runs = instances.get(0).runs() + instances.get(1).runs();
        instances.get(2).fire();
        return runs + instances.get(2).runs();
    }

    /** Returns how often the others ran the tick. */
    private int tickOfAKilledInstance() throws Exception {
        InstanceProcess killed = instances.remove(0);
        killed.hold("fire");
        killed.signal("KILL");
        int runs = firedByTheOthers(instances);
        // An instance that starts in the middle of a tick.
        instances.add(InstanceProcess.start(PREFIX));
        return runs + firedByTheOthers(instances);
    }

    /** Returns how often the next tick runs, which begins when the lease of the tick before has ended. */
    private int tickAfterAnInstanceThatStandsStill(Locked schedule) throws Exception {
        InstanceProcess frozen = instances.get(0);
        frozen.hold("fire");
        frozen.signal("STOP");
        assertThat(firedByTheOthers(instances.subList(1, 3))).isZero();
        nextTick(schedule);
        int runs = firedByTheOthers(instances.subList(1, 3));
        frozen.signal("CONT");
        frozen.goOn();
        assertThat(frozen.done()).startsWith("done 1 " + LeaseLostException.class.getName());
        return runs + firedByTheOthers(instances);
    }

    private static int firedByTheOthers(List<InstanceProcess> others) throws IOException {
        for (InstanceProcess each : others) {
            each.fire();
        }
        return runs(others);
    }

    private static int runs(List<InstanceProcess> all) throws IOException {
        int runs = 0;
        for (InstanceProcess each : all) {
            runs += each.runs();
        }
        return runs;
    }

    @Test
    void migrationRunsOnceForEachVersion() throws Exception {
        assertThat(migratedByAll("v1")).isEqualTo(1);
        assertThat(migratedByAll("v2")).isEqualTo(1);
        assertThat(migratedByAll("v1")).isZero();

        InstanceProcess killed = instances.remove(0);
        killed.hold("migrate v3");
        tell("v3", instances);
        killed.signal("KILL");
        assertThat(runs(instances)).isEqualTo(1);
        instances.add(InstanceProcess.start(PREFIX));

        InstanceProcess frozen = instances.get(0);
        frozen.hold("migrate v4");
        frozen.signal("STOP");
        List<InstanceProcess> others = instances.subList(1, 3);
        tell("v4", others);
        assertThat(runs(others)).isEqualTo(1);
        frozen.signal("CONT");
        frozen.goOn();
        assertThat(frozen.done()).startsWith("done 1 " + LeaseLostException.class.getName());
        assertThat(migratedByAll("v4")).isZero();
    }

    private int migratedByAll(String version) throws IOException {
        tell(version, instances);
        return runs(instances);
    }

    private static void tell(String version, List<InstanceProcess> all) throws IOException {
        for (InstanceProcess each : all) {
            each.migrate(version);
        }
    }
}

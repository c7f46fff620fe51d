package dev.holdfast.lock.redis.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.interop.VersionedInstance.Form;
import dev.holdfast.lock.redis.interop.VersionedInstance.Hold;
import dev.holdfast.lock.redis.interop.Versions.Version;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.PreviousVersion;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A fleet that is upgraded, or downgraded, instance by instance has two versions of the library on the same locks for a while. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VersionsTest {

    private static final RedisServer SERVER = RedisServer.shared();

    @AutoClose
    private static RedisCluster cluster;

    /** On which Redis, what is held, and by which version. The other version wants it. */
    record Cell(InteropCell.Mode mode, Form form, Version holder) {

        Versions versions() {
            return mode == InteropCell.Mode.STANDALONE
                    ? onOneServer()
                    : new Versions(cluster.uris(), cluster::masterOf);
        }
    }

    static Stream<Cell> cells() {
        return Stream.of(InteropCell.Mode.values())
                .flatMap(mode -> Stream.of(Form.values())
                        .flatMap(form -> Stream.of(Version.values()).map(version -> new Cell(mode, form, version))))
                .filter(cell -> Nightly.Night.isOn() || isInEachBuild(cell));
    }

    /** Versions differ in their scripts. In a cluster, only their keys and channels differ, which fair locks show. */
    private static boolean isInEachBuild(Cell cell) {
        return cell.mode == InteropCell.Mode.STANDALONE || cell.form == Form.FAIR;
    }

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    private static Versions onOneServer() {
        return new Versions(List.of(SERVER.uri()), key -> SERVER);
    }

    private static long greatestToken(List<Hold> holds) {
        return holds.stream().mapToLong(Hold::token).max().orElseThrow();
    }

    /** Otherwise the other tests compare the present version with itself. */
    @Test
    void previousVersionRunsItsOwnScripts() {
        try (Versions versions = onOneServer()) {
            SERVER.scriptFlush();
            versions.open(Version.PREVIOUS)
                    .acquire(Form.PLAIN, Versions.name(Form.PLAIN))
                    .join()
                    .close();

            String script = PreviousVersion.text("dev/holdfast/lock/internal/protocol/lua/acquire.lua");
            assertThat(SERVER.cli().scriptExists(SERVER.cli().digest(script))).containsExactly(true);
        }
    }

    @ParameterizedTest
    @MethodSource("cells")
    void heldLockIsBusyToTheOtherVersionUntilItsRelease(Cell cell) {
        try (Versions versions = cell.versions()) {
            VersionedInstance one = versions.open(cell.holder);
            VersionedInstance other = versions.open(cell.holder.other());
            String name = Versions.name(cell.form);
            List<Hold> held = Versions.fill(one, cell.form, name);
            assertThat(other.tryAcquire(cell.form.excluded(), name)).isEmpty();
            assertThat(other.owner(name)).isEqualTo(one.owner(name));

            held.forEach(Hold::close);

            List<Hold> taken = Versions.fill(other, cell.form.excluded(), name);
            assertThat(greatestToken(taken)).isGreaterThan(greatestToken(held));
            assertThat(one.tryAcquire(cell.form, name)).isEmpty();
            taken.forEach(Hold::close);
            assertThat(versions.endlessKeys(name)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN", "FAIR", "SEVERAL"})
    void holderOfThePreviousVersionIgnoresARequestToStopWhichEndsWithItsHold(Form form) {
        try (Versions versions = onOneServer()) {
            VersionedInstance previous = versions.openWithShortLeases(Version.PREVIOUS);
            VersionedInstance present = versions.open(Version.PRESENT);
            String name = Versions.name(form);
            List<Hold> held = Versions.fill(previous, form, name);
            assertThat(present.requestStop(name)).isTrue();
            long renewals = previous.renewals();
            Await.until("two renewals", Waits.LONG, () -> previous.renewals() >= renewals + 2);
            assertThat(held).allMatch(Hold::verify);

            held.forEach(Hold::close);

            assertThat(present.requestStop(name)).isFalse();
            List<Hold> next = Versions.fill(present, form, name);
            assertThat(SERVER.cli().hexists(name, "holdfast:stop")).isFalse();
            next.forEach(Hold::close);
        }
    }

    @ParameterizedTest
    @MethodSource("cells")
    void waitersOfBothVersionsAreServedFromOneQueue(Cell cell) throws InterruptedException {
        try (Versions versions = cell.versions()) {
            String name = Versions.name(cell.form);
            List<Hold> held = Versions.fill(versions.open(cell.holder), cell.form.excluded(), name);
            BlockingQueue<Map.Entry<Integer, Hold>> granted = new LinkedBlockingQueue<>();
            List<VersionedInstance> waiters = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int waiter = i;
                waiters.add(versions.open(i % 2 == 0 ? cell.holder.other() : cell.holder));
                CompletableFuture<Boolean> wanted =
                        waiters.get(i).acquire(cell.form, name).thenApply(hold -> granted.add(Map.entry(waiter, hold)));
                try {
                    versions.awaitQueue(name, i + 1);
                } catch (IllegalStateException late) {
                    // Otherwise, a waiter that has failed would only be missed.
                    assertThat(wanted)
                            .as("wait " + i + ": " + late.getMessage())
                            .isNotCompletedExceptionally();
                    throw late;
                }
            }
            long last = greatestToken(held);
            List<Integer> order = new ArrayList<>();
            List<Hold> together = new ArrayList<>();

            held.forEach(Hold::close);

            for (int i = 0; i < 4; i++) {
                Map.Entry<Integer, Hold> next = granted.poll(Waits.LONG.toSeconds(), TimeUnit.SECONDS);
                assertThat(next).as("grant %s after %s", i, order).isNotNull();
                order.add(next.getKey());
                Hold hold = next.getValue();
                assertThat(hold.verify()).isTrue();
                assertThat(hold.token()).isGreaterThan(last);
                if (cell.form.isShared()) {
                    together.add(hold);
                } else {
                    assertThat(granted).isEmpty();
                    last = hold.token();
                }
                if (cell.form != Form.READ) {
                    hold.close();
                }
            }
            together.forEach(Hold::close);
            if (cell.form == Form.FAIR) {
                assertThat(order).containsExactly(0, 1, 2, 3);
            }
            assertThat(order).containsExactlyInAnyOrder(0, 1, 2, 3);
            // One waiter of each version may have asked just before its message came.
            assertThat(waiters.get(0).wakeUpsByMessage() + waiters.get(2).wakeUpsByMessage())
                    .isPositive();
            assertThat(waiters.get(1).wakeUpsByMessage() + waiters.get(3).wakeUpsByMessage())
                    .isPositive();
            assertThat(versions.endlessKeys(name)).isEmpty();
        }
    }
}

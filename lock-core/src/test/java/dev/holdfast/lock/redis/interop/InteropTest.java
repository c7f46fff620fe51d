package dev.holdfast.lock.redis.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.interop.InteropCell.Mode;
import dev.holdfast.lock.redis.interop.InteropCell.Property;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A fleet that moves from Redisson to Holdfast service by service has both on the same locks for a while. Each build shows this on one server. In a
 * cluster, only the slots and the sharded messages differ, which {@code ClusterLockTest} shows between clients of Holdfast in each build, and this
 * test at night.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InteropTest {

    /** So long that nothing here happens because one ended. */
    private static final Duration LONG_LEASE = Duration.ofMinutes(10);

    /** So short that it is over, unless renewed, when the watchdog's cells have their turn. */
    private static final Duration SHORT_LEASE = Duration.ofSeconds(4);

    private static final int ROUNDS = 3;

    private final RedisServer server = RedisServer.shared();
    private final @Nullable RedisCluster cluster = Nightly.Night.isOn() ? RedisCluster.start() : null;
    private final Map<Mode, InteropSides> longLeases = new EnumMap<>(Mode.class);
    private final Map<Mode, InteropSides> shortLeases = new EnumMap<>(Mode.class);
    private final Map<InteropCell, Hold> renewed = new HashMap<>();

    /** What somebody holds all the while. */
    private record Hold(String name, ScriptedThread holder, long since) {}

    @BeforeAll
    void start() throws Exception {
        longLeases.put(Mode.STANDALONE, InteropSides.on(server, LONG_LEASE));
        shortLeases.put(Mode.STANDALONE, InteropSides.on(server, SHORT_LEASE));
        if (cluster != null) {
            longLeases.put(Mode.CLUSTER, InteropSides.on(cluster, LONG_LEASE));
            shortLeases.put(Mode.CLUSTER, InteropSides.on(cluster, SHORT_LEASE));
        }
        for (InteropCell cell : cellsOf(Property.WATCHDOG).toList()) {
            String name = name();
            ScriptedThread holder = new ScriptedThread();
            holder.run(shortLeases.get(cell.mode()).holder(cell, name)::lock);
            renewed.put(cell, new Hold(name, holder, System.nanoTime()));
        }
    }

    @AfterAll
    void end() {
        renewed.values().forEach(hold -> hold.holder().close());
        longLeases.values().forEach(InteropSides::close);
        shortLeases.values().forEach(InteropSides::close);
        if (cluster != null) {
            cluster.close();
        }
    }

    static Stream<InteropCell> cells() {
        return InteropCell.all().filter(cell -> cell.mode() == Mode.STANDALONE || Nightly.Night.isOn());
    }

    private static Stream<InteropCell> cellsOf(Property property) {
        return cells().filter(cell -> cell.property() == property);
    }

    private static String name() {
        return "interop-" + UUID.randomUUID();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void cells(InteropCell cell) throws Exception {
        try (ScriptedThread holder = new ScriptedThread();
                ScriptedThread waiter = new ScriptedThread()) {
            switch (cell.property()) {
                case EXCLUSION -> isExcluded(cell, holder, waiter);
                case WAKE_UP -> isWoken(cell, holder, waiter);
                case WATCHDOG -> isRenewed(cell, waiter);
            }
        }
    }

    private static boolean enters(ScriptedThread thread, Lock lock) throws Exception {
        return thread.call(() -> lock.tryLock());
    }

    private static boolean entersWithin(ScriptedThread thread, Lock lock, long millis) throws Exception {
        return thread.call(() -> lock.tryLock(millis, TimeUnit.MILLISECONDS));
    }

    private void isExcluded(InteropCell cell, ScriptedThread holder, ScriptedThread waiter) throws Exception {
        String name = name();
        Lock held = longLeases.get(cell.mode()).holder(cell, name);
        Lock wanted = longLeases.get(cell.mode()).waiter(cell, name);
        holder.run(held::lock);
        holder.run(held::lock);
        assertThat(enters(waiter, wanted)).isFalse();
        holder.run(held::unlock);
        assertThat(enters(waiter, wanted)).isFalse();
        assertThat(enters(holder, held)).isTrue();
        holder.run(held::unlock);
        assertThat(enters(waiter, wanted)).isFalse();
        holder.run(held::unlock);
        assertThat(enters(waiter, wanted)).isTrue();
        assertThat(entersWithin(holder, held, 50)).isFalse();
        waiter.run(wanted::unlock);
        // Who has just given up may stand in a fair lock's queue for a moment still.
        assertThat(entersWithin(holder, held, 3000)).isTrue();
        holder.run(held::unlock);
        nothingIsLeft(cell, name);
    }

    private void isWoken(InteropCell cell, ScriptedThread holder, ScriptedThread waiter) throws Exception {
        InteropSides sides = longLeases.get(cell.mode());
        long before = sides.ourWakeUpsByMessage();
        for (int round = 0; round < ROUNDS; round++) {
            String name = name();
            Lock held = sides.holder(cell, name);
            Lock wanted = sides.waiter(cell, name);
            holder.run(held::lock);
            var granted = waiter.start(() -> {
                wanted.lock();
                return true;
            });
            sides.awaitListener(name);
            if (cell.direction() == InteropCell.Direction.HOLDFAST_HOLDS) {
                waiter.awaitAsleep();
            }
            assertThat(granted).isNotDone();
            long released = System.nanoTime();
            holder.run(held::unlock);
            assertThat(ScriptedThread.outcome(granted)).isTrue();
            waiter.run(wanted::unlock);
            Waits.assertSoon(released, Duration.ZERO);
        }
        if (cell.direction() == InteropCell.Direction.REDISSON_HOLDS) {
            // A waiter asks every 2.5 s, so in one of the rounds it may have asked just before its message came.
            assertThat(sides.ourWakeUpsByMessage()).isGreaterThan(before);
        }
    }

    private void isRenewed(InteropCell cell, ScriptedThread waiter) throws Exception {
        Hold hold = renewed.get(cell);
        InteropSides sides = shortLeases.get(cell.mode());
        // The time is the subject: twice the lease.
        Await.until(
                "the lease would be over",
                Await.PATIENCE,
                () -> System.nanoTime() - hold.since()
                        > SHORT_LEASE.multipliedBy(2).toNanos());
        Lock wanted = sides.waiter(cell, hold.name());
        assertThat(enters(waiter, wanted)).isFalse();
        hold.holder().run(sides.holder(cell, hold.name())::unlock);
        assertThat(enters(waiter, wanted)).isTrue();
        waiter.run(wanted::unlock);
        nothingIsLeft(cell, hold.name());
    }

    /** Redisson's note that it has released and our count of releases that it heard end by themselves; the counter of its fenced lock stays. */
    private void nothingIsLeft(InteropCell cell, String name) {
        assertThat(longLeases.get(cell.mode()).serverOf(name).cli().keys("*" + name + "*"))
                .allMatch(key -> key.startsWith("redisson_unlock_latch")
                        || key.startsWith("redisson_lock_token")
                        || key.endsWith(":turns"));
    }
}

package dev.holdfast.lock.test.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** With a failover grace: how long a slot stays closed, what holders may rely on in that time, and clocks that jump. */
class GraceClockTest {

    private static final Script ACQUIRE = Script.load(LockProtocol.class, "acquire");
    private static final Script ASSERT = Script.load(LockProtocol.class, "assert");
    private static final Script WRITER_ASSERT = Script.load(LockProtocol.class, "rw-assert");
    private static final long GRACE = 6_000;
    /** For so long, the master before may serve on. */
    private static final long SERVES = 2_000;

    private static final long LEASE = 4_000;
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final long HOUR = Duration.ofHours(1).toMillis();

    private final AtomicLong serverMillis = new AtomicLong();
    private final MemoryRedis redis =
            new MemoryRedis(() -> Duration.ofMillis(serverMillis.get()).toNanos(), START, Runnable::run);
    private long clientMillis = Duration.ofDays(20_000).toMillis();

    /** Returns for how many ms the slot stays closed; 0 if the lock is granted. */
    private long closedFor() {
        return closedForClientAt(clientMillis);
    }

    private long closedForClientAt(long millis) {
        List<Object> answer =
                redis.run(ACQUIRE, List.of("lock"), List.of("owner:1:1", "0", "4000", "0", "", GRACE + ":" + millis));
        return answer.size() == 5 ? (Long) answer.get(1) : 0;
    }

    /** Asserts a lock whose holder has so many ms left. Returns for how many ms it has the lock then, and whether its lease was prolonged. */
    private List<Object> asserted(String lock, long rest) {
        List<String> args = List.of(
                GRACE + ":" + clientMillis + ":" + SERVES, "owner:1:1", "" + LEASE, "1024", Long.toString(rest), "");
        Object answer = redis.run(ASSERT, List.of(lock), args).get(0);
        return List.of(redis.command("pttl", lock), answer.equals(1L));
    }

    private void pass(long millis) {
        serverMillis.addAndGet(millis);
        clientMillis += millis;
    }

    @Test
    void slotOpensWhenTheGraceHasPassedByBothClocks() {
        assertThat(closedFor()).isEqualTo(GRACE);
        pass(GRACE - 1);
        assertThat(closedFor()).isEqualTo(1);
        pass(1);
        assertThat(closedFor()).isZero();
    }

    @Test
    void jumpOfTheServersClockDoesNotShortenTheGrace() {
        closedFor();
        pass(1_000);
        serverMillis.addAndGet(HOUR);

        assertThat(closedFor()).isEqualTo(GRACE - 1_000);
    }

    @Test
    void jumpOfAClientsClockDoesNotShortenTheGrace() {
        closedFor();
        pass(1_000);
        clientMillis += HOUR;

        assertThat(closedFor()).isEqualTo(GRACE - 1_000);
    }

    @Test
    void graceBeginsAnewIfTheServersClockGoesBack() {
        closedFor();
        pass(1_000);
        serverMillis.addAndGet(-HOUR);

        assertThat(closedFor()).isEqualTo(GRACE);
    }

    @Test
    void clientWhoseClockIsBehindProlongsTheGraceOnce() {
        closedFor();
        pass(1_000);
        assertThat(closedForClientAt(clientMillis - HOUR)).isEqualTo(GRACE);
        for (int i = 0; i < 5; i++) {
            pass(1_000);
            assertThat(closedFor()).isPositive();
            assertThat(closedForClientAt(clientMillis - HOUR)).isPositive();
        }
        pass(1_000);

        assertThat(closedForClientAt(clientMillis - HOUR)).isZero();
    }

    /** Otherwise, the master before could grant the lock at the former end of its lease. A client relies on 95 % of a lease. */
    @Test
    void leaseThatMayEndWhileTheMasterBeforeServesIsNotProlonged() {
        closedFor();
        assertThat(asserted("ends before", 2_105)).containsExactly(2_105L, false);
        assertThat(asserted("ends later", 2_106)).containsExactly(LEASE, true);
        pass(SERVES - 1);
        assertThat(asserted("ends soon", 1)).containsExactly(1L, false);
        pass(1);
        assertThat(asserted("outlived it", 1)).containsExactly(LEASE, true);
    }

    /** The slot may open for a holder, and so without a number that is drawn. */
    @Test
    void numberOfTheMasterBeforeDoesNotCloseASlotThatHasOpened() {
        closedFor();
        pass(GRACE);
        String before = Long.toString(TimeUnit.MILLISECONDS.toMicros(START.toEpochMilli() + serverMillis.get()) - 1);
        asserted("held", LEASE);

        assertThat(redis.run(
                        ACQUIRE,
                        List.of("lock"),
                        List.of("owner:1:1", before, "4000", "0", "", GRACE + ":" + clientMillis)))
                .hasSize(1);
    }

    /** A master that has lost the release of the first lock still has it. A thread that writes may read as well, but writes once. */
    @Test
    void writerGivesWayToALaterOneOfItsThread() {
        String grace = GRACE + ":" + clientMillis;
        closedFor();
        for (String[] writer :
                List.of(new String[] {"owner:1:1:write", "1024"}, new String[] {"owner:1:2:write", "2048"})) {
            assertThat(redis.run(
                            WRITER_ASSERT,
                            List.of("rw"),
                            List.of(grace + ":" + SERVES, writer[0], "" + LEASE, writer[1], "" + LEASE, "write")))
                    .containsExactly(1L);
        }

        assertThat(redis.command("hexists", "rw", "owner:1:1:write")).isEqualTo(0L);
        assertThat(redis.command("hexists", "rw", "owner:1:2:write")).isEqualTo(1L);
    }
}

package dev.holdfast.lock.test.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.PlainProtocol;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The time for which a slot stays closed with a failover grace, and clocks that jump. */
class GraceClockTest {

    private static final Script ACQUIRE = Script.load(PlainProtocol.class, "acquire");
    private static final long GRACE = 6_000;
    private static final long HOUR = Duration.ofHours(1).toMillis();

    private final AtomicLong serverMillis = new AtomicLong();
    private final MemoryRedis redis = new MemoryRedis(
            () -> Duration.ofMillis(serverMillis.get()).toNanos(),
            Instant.parse("2026-01-01T00:00:00Z"),
            Runnable::run);
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
}

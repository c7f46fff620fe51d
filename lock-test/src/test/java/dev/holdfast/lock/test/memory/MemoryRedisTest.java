package dev.holdfast.lock.test.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.PlainProtocol;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemoryRedisTest {

    private static final Script ACQUIRE = Script.load(PlainProtocol.class, "acquire");
    private static final List<String> LOCK = List.of("lock");

    /** So often the script reads the clock at most. */
    private static final int READINGS = 50;

    private final AtomicInteger readingsLeft = new AtomicInteger(Integer.MAX_VALUE);
    private final AtomicLong nanos = new AtomicLong();
    private final MemoryRedis server = new MemoryRedis(this::now, Instant.EPOCH, task -> {});

    private long now() {
        return readingsLeft.decrementAndGet() == 0
                ? nanos.addAndGet(Duration.ofSeconds(1).toNanos())
                : nanos.get();
    }

    /** As in a process that stands still in the middle of a script: the key would then come back without an end. */
    @Test
    void keyDoesNotEndInTheMiddleOfAScript() {
        for (int reading = 1; reading <= READINGS; reading++) {
            server.run(ACQUIRE, LOCK, List.of("holder:1:1:50", "50", "0", "0"));
            readingsLeft.set(reading);
            server.run(ACQUIRE, LOCK, List.of("waiter:1:" + reading + ":3000", "3000", "0", "5000"));
            readingsLeft.set(Integer.MAX_VALUE);

            assertThat(server.command("pttl", "lock")).as("reading %s", reading).isNotEqualTo(-1L);
            server.clear();
        }
    }
}

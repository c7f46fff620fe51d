package dev.holdfast.lock.test.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemoryRedisTest {

    private static final Script ACQUIRE = Script.load(LockProtocol.class, "acquire");
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
            server.run(ACQUIRE, LOCK, List.of("holder:1:1:50", "0", "50", "0"));
            readingsLeft.set(reading);
            server.run(ACQUIRE, LOCK, List.of("waiter:1:" + reading + ":3000", "0", "3000", "5000"));
            readingsLeft.set(Integer.MAX_VALUE);

            assertThat(server.command("pttl", "lock")).as("reading %s", reading).isNotEqualTo(-1L);
            server.clear(List::of);
        }
    }

    @Test
    void keyIsThereInTheMillisecondOfItsEndAndGoneInTheNext() {
        server.command("set", "key", "value", "px", "10");

        nanos.addAndGet(Duration.ofMillis(10).toNanos());
        assertThat(server.command("pttl", "key")).isEqualTo(0L);
        nanos.addAndGet(Duration.ofMillis(1).toNanos());

        assertThat(server.command("pttl", "key")).isEqualTo(-2L);
    }

    @Test
    void keyThatIsToEndAtOnceIsRemoved() {
        server.command("set", "key", "value");

        assertThat(server.command("pexpire", "key", "0")).isEqualTo(1L);

        assertThat(server.command("exists", "key")).isEqualTo(0L);
    }

    /** The release guards itself against what another program has written under a key of the queue. */
    @Test
    void failureOfACommandCanBeCaughtAndRaisedAgain() {
        Script caught = Script.of("caught", """
                local done, answer = pcall(redis.call, 'zscore', KEYS[1], 'member')
                local sum, two, three = pcall(function() return 2, 3 end)
                if not string.find(answer.err, 'WRONGTYPE') then
                  error(answer, 0)
                end
                return {done and 1 or 0, sum and two, three}
                """);
        server.command("set", "lock", "value");
        assertThat(server.run(caught, LOCK, List.of())).containsExactly(0L, 2L, 3L);

        Script raised = Script.of(
                "raised",
                "local done, answer = pcall(redis.call, 'zscore', KEYS[1], 'member')\nerror(answer, 0)\nreturn {1}\n");
        assertThatThrownBy(() -> server.run(raised, LOCK, List.of())).hasMessageContaining("WRONGTYPE");
    }

    /** As Lua 5.1 on Redis answers. */
    @Test
    void numbersAreReadAsInLua() {
        Script numbers = Script.of(
                "numbers",
                "local read = {} for i, text in ipairs(ARGV) do read[i] = tonumber(text) or -7 end return read");
        List<String> texts = List.of("0x10", "-0xfF", " 12 ", "1e3", "5.", ".5e1", "1d", "1f", "", "0x", "12a", "+3");

        assertThat(server.run(numbers, List.of(), texts))
                .containsExactly(16L, -255L, 12L, 1000L, 5L, 5L, -7L, -7L, -7L, -7L, -7L, 3L);
    }
}

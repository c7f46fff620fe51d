package dev.holdfast.lock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Scripts that set the end of a key and write to it as well, while the server's clock goes back: no key is left without an end, because the last command
 * on such a key is PEXPIRE.
 */
class ClockGoesBackTest {

    /**
     * Stands for a clock that goes back between a script's first command and its first PEXPIRE. Redis 7.0 judges expiry within a script by the time
     * at which the script began, but sets ends by the present time. So the end is over already for the rest of the script: its next command finds
     * no such key, and a write makes a new one.
     */
    static final String CLOCK_GOES_BACK = """
            local server = redis
            local over = {}
            local function run(run_by_server, command, ...)
              for _, key in ipairs({...}) do
                if over[key] then
                  over[key] = nil
                  server.call('del', key)
                end
              end
              local answer = run_by_server(command, ...)
              if command == 'pexpire' and answer == 1 then
                over[({...})[1]] = true
              end
              return answer
            end
            local redis = {
              error_reply = server.error_reply,
              call = function(...) return run(server.call, ...) end,
              pcall = function(...) return run(server.pcall, ...) end
            }
            """;

    private static final String HOLDER = "c1:1:1:3000";
    private static final String OTHER = "c2:1:1:3000";
    private static RedisServer server;
    private static RedisCommands<String, String> redis;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        redis = server.cli();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void clear() {
        redis.flushall();
    }

    private static void held(String key, long leaseMillis, long livesMillis) {
        redis.hset(key, Map.of(HOLDER, "1", "holdfast:token", "5", "holdfast:lease", String.valueOf(leaseMillis)));
        redis.pexpire(key, livesMillis);
    }

    private static void run(String script, List<String> keys, String... arguments) {
        redis.eval(
                CLOCK_GOES_BACK + Script.load(LockProtocol.class, script).text(),
                ScriptOutputType.OBJECT,
                keys.toArray(String[]::new),
                arguments);
        for (String key : redis.keys("*")) {
            if (!key.equals("holdfast:token")) {
                assertThat(redis.pttl(key)).as("time to live of %s", key).isNotEqualTo(-1);
            }
        }
    }

    @Test
    void lockIsKeptForItsMinimumHold() {
        held("lock", 30_000, 30_000);
        run("release", List.of("lock"), HOLDER, "0", "5000");
    }

    @Test
    void leaseOfAReleaseIsRenewed() {
        held("lock", 3_000, 3_000);
        run("renew", List.of("lock"), HOLDER, "30000", "5");
    }

    @Test
    void longerLifeIsCutByAWaiter() {
        held("lock", 30_000, 60_000);
        run("acquire", List.of("lock"), OTHER, "0", "30000", "5000");
    }

    @Test
    void longerLifeIsCutByAWaiterForSeveralLocks() {
        held("lock", 30_000, 60_000);
        run("multi-acquire", List.of("lock", "other"), OTHER, "0", "30000", "5000");
    }

    @Test
    void writerThatReadsGoesOnReading() {
        String writer = HOLDER + ":write";
        redis.hset("rw", Map.of("mode", "write", writer, "1", HOLDER, "1"));
        redis.pexpire("rw", 30_000);
        redis.set("{rw}:" + writer + ":rwlock_timeout:1", "30000:5", SetArgs.Builder.px(30_000));
        redis.set("{rw}:" + HOLDER + ":rwlock_timeout:1", "30000:6", SetArgs.Builder.px(30_000));
        run("rw-release", List.of("rw"), writer, "0");
    }

    private static void permits(Map<String, Long> lives) {
        long now = Long.parseLong(redis.time().get(0)) * 1_000;
        lives.forEach((owner, millis) -> redis.hset("permits", owner, (now + millis) + ":30000:5"));
        redis.hset(
                "permits",
                Map.of("holdfast:kind", "semaphore", "holdfast:end", String.valueOf(now), "holdfast:longest", "30000"));
        redis.pexpire("permits", 25_000);
    }

    @Test
    void permitsThatHaveEndedAreRemoved() {
        permits(Map.of("c1:1:1:3000:2", -2_000L, "c1:1:2:3000:2", 20_000L, "c1:1:3:3000:2", 20_000L));
        run("semaphore-acquire", List.of("permits"), "c2:1:1:3000:2", "0", "30000", "0", "semaphore");
    }

    @Test
    void permitIsRenewed() {
        permits(Map.of("c1:1:1:3000:2", 20_000L));
        run("semaphore-renew", List.of("permits"), "c1:1:1:3000:2", "30000", "5");
    }
}

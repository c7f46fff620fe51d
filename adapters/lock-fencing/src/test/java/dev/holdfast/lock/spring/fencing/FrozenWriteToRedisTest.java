package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.boot.ChildJvm;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A process under a lock is stopped before it writes to Redis. Meanwhile, Redis forgets its lock, or all that it had, and another holder writes. In every
 * other round, the process is not stopped, and only does not know yet. The same rounds run with guarded writes and with {@code SET} alone. {@code
 * -Dholdfast.frozen.rounds=1000} is the long run.
 */
@Timeout(value = 3600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Nightly(inEachBuild = "GuardContract, whose holder is stale without standing still")
@OneAtATime
class FrozenWriteToRedisTest {

    private static final int ROUNDS = Integer.getInteger("holdfast.frozen.rounds", 4);

    @Test
    void noStaleValueIsWritten() throws Exception {
        String prefix = UUID.randomUUID().toString().substring(0, 8) + ":";
        Map<String, Integer> stale = new TreeMap<>(Map.of("guarded", 0, "bare", 0));
        try (RedisServer redis = RedisServer.start()) {
            String[] arguments = {redis.uri().toURI().toString(), prefix, Integer.toString(redis.port())};
            try (ChildJvm frozen = ChildJvm.start(List.of(), List.of(), FrozenWriteToRedisTest.class, arguments);
                    Locked later = application(arguments)) {
                for (int round = 0; round < ROUNDS; round++) {
                    for (String arm : stale.keySet()) {
                        String id = arm + "-" + round;
                        frozen.say(arm + " " + id);
                        frozen.await("stands");
                        boolean stops = round % 2 == 0;
                        if (stops) {
                            frozen.signal("STOP");
                        }
                        if (round == ROUNDS / 2) {
                            redis.restart();
                        } else {
                            redis.cli().del(prefix + "value:" + id);
                        }
                        later.bean(Values.class)
                                .under(id, () -> later.bean(Values.class).write(arm, id, "later"));
                        if (stops) {
                            frozen.signal("CONT");
                        }
                        frozen.say("go");
                        frozen.await("ended");
                        String value = redis.cli().get(id);
                        stale.merge(arm, "later".equals(value) ? 0 : 1, Integer::sum);
                    }
                }
            }
        }
        System.out.println("rounds: " + ROUNDS + ", stale values: " + stale);
        assertThat(stale.get("guarded")).isZero();
        assertThat(stale.get("bare")).isPositive();
    }

    private static Locked application(String[] arguments) {
        return Locked.instance(
                arguments[0], arguments[1], Locked.property("port", arguments[2]), Redis.class, Values.class);
    }

    /** The process. It waits for a line where it is told to stand. */
    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Locked app = application(arguments)) {
            Values values = app.bean(Values.class);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ");
                try {
                    values.under(words[1], () -> {
                        System.out.println("stands");
                        values.readLine(in);
                        values.write(words[0], words[1], "frozen");
                    });
                    System.out.println("ended by nothing");
                } catch (OptimisticLockingFailureException refused) {
                    System.out.println("ended by " + refused);
                }
            }
        }
    }

    static class Values {

        private final StringRedisTemplate redis;
        private final GuardedRedis guarded;

        Values(StringRedisTemplate redis, GuardedRedis guarded) {
            this.redis = redis;
            this.guarded = guarded;
        }

        @DistributedLock(name = "value", key = "#id", waitTime = "60s", onLost = OnLost.REPORT)
        public void under(String id, Runnable work) {
            work.run();
        }

        void write(String arm, String id, String value) {
            if (arm.equals("guarded")) {
                guarded.set(id, value);
            } else {
                redis.opsForValue().set(id, value);
            }
        }

        void readLine(BufferedReader in) {
            try {
                in.readLine();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Redis {

        @Bean
        RedisConnectionFactory connections(Environment environment) {
            return new LettuceConnectionFactory("127.0.0.1", environment.getRequiredProperty("port", Integer.class));
        }

        @Bean
        StringRedisTemplate template(RedisConnectionFactory connections) {
            return new StringRedisTemplate(connections);
        }

        @Bean
        GuardedRedis guarded(StringRedisTemplate template) {
            return new TemplateGuard(template);
        }
    }
}

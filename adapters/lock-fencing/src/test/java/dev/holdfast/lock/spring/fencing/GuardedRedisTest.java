package dev.holdfast.lock.spring.fencing;

import static dev.holdfast.lock.spring.fencing.FenceTableTest.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

/** Writes of an application's templates under the locks of its methods. */
@TestInstance(Lifecycle.PER_CLASS)
class GuardedRedisTest {

    @AutoClose
    private final Locked app = Locked.application(Redis.class, Work.class);

    private final Work work = app.bean(Work.class);
    private final StringRedisTemplate redis = app.bean(StringRedisTemplate.class);
    private final GuardedRedis guarded = app.bean(GuardedRedis.class);
    private final String key = "value:" + UUID.randomUUID();

    private String value() {
        return redis.opsForValue().get(key);
    }

    @Test
    void holderWrites() {
        work.under("lamp", () -> guarded.set(key, "text: ä"));
        assertThat(value()).isEqualTo("text: ä");
        assertThat(redis.getExpire(key)).isEqualTo(-1);
    }

    @Test
    void holderWritesForATime() {
        work.under("lamp", () -> guarded.set(key, "soon gone", Duration.ofMinutes(1)));
        assertThat(redis.getExpire(key)).isBetween(1L, 60L);
    }

    @Test
    void callInsideWritesUnderTheLeaseThatItShares() {
        work.under("lamp", () -> work.under("lamp", () -> guarded.set(key, "inside")));
        assertThat(value()).isEqualTo("inside");
    }

    @Test
    void readerWritesAsLongAsItReads() {
        work.reading(() -> {
            guarded.set(key, "a reader's");
            app.locks().forceRelease("shared");
            assertRefused(() -> guarded.set(key, "stale"));
        });
        assertThat(value()).isEqualTo("a reader's");
    }

    @Test
    void staleHolderWritesNothing() {
        work.under("lamp", () -> {
            app.locks().forceRelease("stock:lamp");
            FenceTableTest.elsewhere(() -> work.under("lamp", () -> guarded.set(key, "later")))
                    .join();
            assertRefused(() -> guarded.set(key, "stale"))
                    .withMessageContainingAll(
                            "A later holder of the lock 'stock:lamp' may have written",
                            Long.toString(LockContext.current().fencingToken()));
            // From now on the lease is known to be lost.
            assertRefused(() -> guarded.set(key, "stale")).withCauseInstanceOf(LeaseLostException.class);
        });
        assertThat(value()).isEqualTo("later");
    }

    @Test
    void scriptHasItsOwnKeysAndArguments() {
        var script = RedisScript.of("return {KEYS[1], ARGV[1], #KEYS, #ARGV}", List.class);
        work.under(
                "lamp",
                () -> assertThat((Object) guarded.execute(script, List.of(key), "one", "two"))
                        .isEqualTo(List.of(key, "one", 1L, 2L)));
    }

    @Test
    void failureOfTheScriptIsThatOfTheTemplate() {
        RedisScript<Long> script = RedisScript.of("return redis.call('incr', KEYS[1])", Long.class);
        redis.opsForList().leftPush(key + ":list", "element");
        work.under(
                "lamp",
                () -> assertThatThrownBy(() -> guarded.execute(script, List.of(key + ":list")))
                        .isInstanceOf(RedisSystemException.class)
                        .rootCause()
                        .hasMessageContaining("WRONGTYPE"));
    }

    @Test
    void templateWithBytesWritesBytes() {
        RedisTemplate<String, byte[]> binary = new RedisTemplate<>();
        binary.setConnectionFactory(app.bean(RedisConnectionFactory.class));
        binary.setKeySerializer(RedisSerializer.string());
        binary.setValueSerializer(RedisSerializer.byteArray());
        binary.afterPropertiesSet();
        byte[] bytes = {0, (byte) 0xff, 13, 10};
        RedisScript<byte[]> read = RedisScript.of("return redis.call('get', KEYS[1])", byte[].class);

        work.under("lamp", () -> {
            guarded.of(binary).set(key, bytes);
            assertThat(guarded.of(binary).execute(read, List.of(key))).isEqualTo(bytes);
        });

        assertThat(binary.opsForValue().get(key)).isEqualTo(bytes);
    }

    @Test
    void codeWithoutALockWritesNothing() {
        assertThatThrownBy(() -> guarded.set(key, "x"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("This code does not run under a lock");
    }

    @Test
    void templateOfAnotherDatabaseIsNamed() {
        RedisStandaloneConfiguration database = new RedisStandaloneConfiguration(
                "127.0.0.1", RedisServer.shared().port());
        database.setDatabase(1);
        LettuceConnectionFactory other = new LettuceConnectionFactory(database);
        other.afterPropertiesSet();
        other.start();
        try {
            work.under(
                    "lamp",
                    () -> assertThatThrownBy(() ->
                                    guarded.of(new StringRedisTemplate(other)).set(key, "x"))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("the template leads to another Redis or database than the locks"));
        } finally {
            other.destroy();
        }
    }

    @Test
    void beanIsThereIfThereIsATemplate() {
        ApplicationContextRunner application = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LockGuardedRedisAutoConfiguration.class));
        application.run(context -> assertThat(context).doesNotHaveBean(GuardedRedis.class));
        application
                .withBean(StringRedisTemplate.class, () -> redis)
                .run(context -> assertThat(context).hasSingleBean(GuardedRedis.class));
    }

    static class Work {

        @DistributedLock(name = "stock", key = "#article", onLost = OnLost.REPORT)
        public void under(String article, Runnable work) {
            work.run();
        }

        @DistributedLock(name = "shared", kind = LockKind.READ, onLost = OnLost.REPORT)
        public void reading(Runnable work) {
            work.run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Redis {

        @Bean
        RedisConnectionFactory connections() {
            return new LettuceConnectionFactory(
                    "127.0.0.1", RedisServer.shared().port());
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

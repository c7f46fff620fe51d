package dev.holdfast.lock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.testing.Await;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class EmbeddedRedisTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Jobs.class)
    static class Application {}

    static class Jobs {

        @Autowired
        LockClient locks;

        @DistributedLock(name = "nightly")
        public boolean isLocked() {
            return locks.inspect("nightly").isPresent();
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @EmbeddedRedis
    class InSpring {

        @Autowired
        LockClient locks;

        @Autowired
        Jobs jobs;

        @Test
        void applicationLocksOnTheRealRedis() {
            assertThat(locks).isInstanceOf(RedisLockClient.class);
            assertThat(jobs.isLocked()).isTrue();
        }
    }

    @Test
    void serverRunsWithoutSpring() throws Exception {
        try (EmbeddedRedisServer server = EmbeddedRedisServer.start();
                LockClient locks = RedisLockClient.create(RedisSource.of(server.uri()))) {
            assertThat(locks.selfCheck()
                            .toCompletableFuture()
                            .get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                            .isUsable())
                    .isTrue();
            assertThat(locks.getLock("nightly").tryLock()).isTrue();
            locks.getLock("nightly").unlock();
        }
    }
}

package dev.holdfast.lock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.testing.RedisContainerCondition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Where a Docker engine answers; skipped elsewhere. */
@ExtendWith(RedisContainerCondition.class)
@SpringBootTest(classes = EmbeddedRedisTest.Application.class)
@ContainerRedis
class ContainerRedisTest {

    @Autowired
    LockClient locks;

    @Autowired
    EmbeddedRedisTest.Jobs jobs;

    @Test
    void applicationLocksOnTheRedisOfTheContainer() {
        assertThat(locks).isInstanceOf(RedisLockClient.class);
        assertThat(jobs.isLocked()).isTrue();
    }
}

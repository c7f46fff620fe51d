package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.testing.RedisServer;
import java.util.UUID;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Application contexts as small as they can be, and what is asked of their locks. */
public final class Contexts {

    private Contexts() {}

    /** Redis is where the properties say. */
    static ApplicationContextRunner context() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SslAutoConfiguration.class, DataRedisAutoConfiguration.class, LockAutoConfiguration.class));
    }

    static ApplicationContextRunner on(RedisServer server) {
        return context()
                .withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + server.port());
    }

    /** With annotated methods. */
    public static ApplicationContextRunner locked(RedisServer server) {
        return on(server)
                .withConfiguration(
                        AutoConfigurations.of(AopAutoConfiguration.class, LockInterceptorAutoConfiguration.class));
    }

    /** Takes a lock and says whether Redis has it where the application's other keys are. */
    static boolean locksOn(RedisServer server, LockClient client) {
        String name = "lock-" + UUID.randomUUID();
        try (var lease = client.getLock(name).acquire()) {
            return lease.isHeld() && server.cli().exists(name) == 1;
        }
    }
}

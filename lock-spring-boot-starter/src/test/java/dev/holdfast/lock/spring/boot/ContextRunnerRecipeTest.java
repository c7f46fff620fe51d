package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.DistributedLock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The recipe of docs/startup.md runs as shown. */
class ContextRunnerRecipeTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class))
            .withBean(RedisSource.class, () -> RedisSource.of("redis://127.0.0.1:1"))
            .withInitializer(new ConfigDataApplicationContextInitializer())
            .withBean(Orders.class);

    @Test
    void declarationsAndSettingsFitTogether() {
        application.run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void misspelledNameFails() {
        application
                .withPropertyValues("holdfast.locks.ordre.enabled=false")
                .run(context ->
                        assertThat(context).hasFailed().getFailure().hasMessageContaining("holdfast.locks.ordre"));
    }

    static class Orders {
        @DistributedLock(name = "order", key = "#id")
        public void pay(long id) {}
    }
}

package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.testing.RedisServer;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/** Beans that Spring creates on threads of its own while it starts. */
class BackgroundBeansTest {

    @Test
    void onlyLockedBeanIsCreatedInTheBackground() {
        Contexts.locked(RedisServer.shared())
                .withPropertyValues("holdfast.locks.stock.wait-time=1s")
                .withUserConfiguration(InBackground.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Stock.class).reserve()).isEqualTo("stock");
                });
    }

    static class Stock {
        @DistributedLock(name = "stock")
        public String reserve() {
            return LockContext.current().lockName();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class InBackground {
        @Bean
        static Executor bootstrapExecutor() {
            return new SimpleAsyncTaskExecutor();
        }

        @Bean(bootstrap = Bean.Bootstrap.BACKGROUND)
        static Stock stock() {
            return new Stock();
        }
    }
}

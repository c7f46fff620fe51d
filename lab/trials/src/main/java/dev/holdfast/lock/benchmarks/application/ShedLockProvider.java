package dev.holdfast.lock.benchmarks.application;

import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** What an application with ShedLock has to configure. */
@Configuration(proxyBeanMethods = false)
@EnableSchedulerLock(defaultLockAtMostFor = "1m")
public class ShedLockProvider {

    @Bean
    LockProvider lockProvider(RedisConnectionFactory redis) {
        return new RedisLockProvider(redis);
    }
}

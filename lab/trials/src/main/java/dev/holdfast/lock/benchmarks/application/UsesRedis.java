package dev.holdfast.lock.benchmarks.application;

import org.springframework.boot.ApplicationRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The part of an application that reads from Redis at its start. */
@Configuration(proxyBeanMethods = false)
public class UsesRedis {

    @Bean
    ApplicationRunner reader(StringRedisTemplate redis) {
        return arguments -> redis.opsForValue().get("setting");
    }
}

package dev.holdfast.lock.spring.fencing;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Auto-configuration for {@link GuardedRedis}, if there is one {@link StringRedisTemplate}. */
@AutoConfiguration(afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnSingleCandidate(StringRedisTemplate.class)
public final class LockGuardedRedisAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    static GuardedRedis holdfastGuardedRedis(StringRedisTemplate template) {
        return new TemplateGuard(template);
    }
}

package dev.holdfast.lock.shedlock;

import dev.holdfast.lock.LockClient;
import java.time.Duration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for a ShedLock provider that uses the application's lock client. Adds no provider if the application has one. */
@AutoConfiguration(afterName = "dev.holdfast.lock.spring.boot.LockAutoConfiguration")
@ConditionalOnSingleCandidate(LockClient.class)
@ConditionalOnMissingBean(LockProvider.class)
@EnableConfigurationProperties(LockShedLockAutoConfiguration.Properties.class)
public final class LockShedLockAutoConfiguration {

    @Bean
    HoldfastLockProvider holdfastLockProvider(LockClient client, Properties properties) {
        HoldfastLockProvider provider = new HoldfastLockProvider(client).waitAtMost(properties.waitTime());
        return properties.renew() ? provider.renewing() : provider;
    }

    /**
     * The properties {@code holdfast.shedlock.*}.
     *
     * @param waitTime How long a task waits for a busy lock. If it is 0, a task with a busy lock is skipped at once.
     * @param renew Whether a task's lock is renewed while the task runs.
     */
    @ConfigurationProperties("holdfast.shedlock")
    record Properties(
            @DefaultValue("0s") Duration waitTime,
            @DefaultValue("false") boolean renew) {}
}

package dev.holdfast.lock.integration;

import dev.holdfast.lock.LockClient;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/** Auto-configuration for a lock registry that uses the application's lock client. Adds no registry if the application has one. */
@AutoConfiguration(afterName = "dev.holdfast.lock.spring.boot.LockAutoConfiguration")
@ConditionalOnSingleCandidate(LockClient.class)
@ConditionalOnMissingBean(LockRegistry.class)
@EnableConfigurationProperties(LockIntegrationAutoConfiguration.Properties.class)
public final class LockIntegrationAutoConfiguration {

    @Bean
    HoldfastLockRegistry holdfastLockRegistry(LockClient client, Properties properties) {
        return new HoldfastLockRegistry(client, properties.registryKey());
    }

    /**
     * The properties {@code holdfast.integration.*}.
     *
     * @param registryKey Text before the names of Spring Integration's locks in Redis.
     */
    @ConfigurationProperties("holdfast.integration")
    record Properties(
            @DefaultValue(HoldfastLockRegistry.DEFAULT_REGISTRY_KEY)
            String registryKey) {}
}

package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.spring.LockClientCustomizer;
import dev.holdfast.lock.spring.interceptor.LockSettingsSource;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

/**
 * Auto-configuration for locks: a {@link LockClient} on the application's own Redis, and the settings of {@code holdfast.*}. Adds
 * beans of its own only, and leaves out each that the application defines.
 */
@AutoConfiguration(afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnClass(LockClient.class)
@ConditionalOnBooleanProperty(name = "holdfast.enabled", matchIfMissing = true)
@EnableConfigurationProperties(LockProperties.class)
@ImportRuntimeHints(LockRuntimeHints.class)
public final class LockAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(LockSettingsSource.class)
    PropertyLockSettings lockSettings(LockProperties properties) {
        return new PropertyLockSettings(properties);
    }

    @Bean
    @ConditionalOnMissingBean
    LockEventPublisher lockEventPublisher(ApplicationEventPublisher events) {
        return new LockEventPublisher(events);
    }

    /** Its own class: without Lettuce and Spring Data Redis the methods below could not even be looked at. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RedisClient.class, RedisConnectionFactory.class, DataRedisConnectionDetails.class})
    @ConditionalOnMissingBean(LockClient.class)
    @ConditionalOnBean(RedisConnectionFactory.class)
    static class OnApplicationRedis {

        /** How long a start that insists on Redis waits for it. */
        private static final Duration FAIL_FAST_LIMIT = Duration.ofSeconds(5);

        @Bean
        RestartableLockClient lockClient(
                LockProperties properties,
                @Value("${spring.application.name:}") String applicationName,
                ObjectProvider<RedisConnectionFactory> factories,
                ObjectProvider<DataRedisConnectionDetails> details,
                ObjectProvider<RedisStaticMasterReplicaConfiguration> staticNodes,
                ObjectProvider<LockListener> listeners,
                ObjectProvider<LockClientCustomizer> customizers) {
            ApplicationRedis redis = new ApplicationRedis(theOne(factories), details, staticNodes);
            ConfiguredClient opener = new ConfiguredClient(properties, applicationName, redis, listeners, customizers);
            Consumer<LockClient> check = properties.failFast() ? new StartCheck(FAIL_FAST_LIMIT) : client -> {};
            return new RestartableLockClient(opener, check, properties.shutdownGrace());
        }

        private static RedisConnectionFactory theOne(ObjectProvider<RedisConnectionFactory> factories) {
            RedisConnectionFactory one = factories.getIfUnique();
            if (one == null) {
                List<RedisConnectionFactory> all = factories.stream().toList();
                throw new UnusableConnectionFactoryException(
                        "there are " + all.size() + " beans of type RedisConnectionFactory and none is primary",
                        "Mark as @Primary the one whose Redis the locks shall be in");
            }
            return one;
        }
    }
}

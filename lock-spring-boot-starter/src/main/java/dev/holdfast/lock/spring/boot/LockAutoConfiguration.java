package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.LockClientCustomizer;
import dev.holdfast.lock.spring.LockConnectionFactory;
import dev.holdfast.lock.spring.LockEventPublisher;
import dev.holdfast.lock.spring.boot.LockClientLifecycle.EarlyStart;
import io.lettuce.core.RedisClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration for locks: a {@link LockClient} on the application's own Redis, and the settings of {@code holdfast.*}. Adds only beans whose
 * names begin with {@code holdfast}, and omits each bean that the application defines. {@code holdfast.enabled} does not switch this configuration
 * off, because an application that injects the client must start.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "io.valkey.springframework.boot.autoconfigure.data.valkey.ValkeyAutoConfiguration"
        })
@ConditionalOnClass(LockClient.class)
@EnableConfigurationProperties(LockProperties.class)
@ImportRuntimeHints(LockRuntimeHints.class)
public final class LockAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ConfigurationPropertiesBindHandlerAdvisor holdfastStrictBinding() {
        return StrictBinding::new;
    }

    @Bean
    @ConditionalOnMissingBean
    LockEventPublisher holdfastEventPublisher(ApplicationEventPublisher events) {
        return new LockEventPublisher(events);
    }

    @Bean
    PropertiesCustomizer holdfastPropertiesCustomizer(
            LockProperties properties,
            @Value("${spring.application.name:}") String applicationName,
            ObjectProvider<LockListener> listeners,
            ObjectProvider<LockClient> client) {
        return new PropertiesCustomizer(properties.checked(), applicationName, listeners, client);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static StarterBeans holdfastStarterBeans(Environment environment) {
        return new StarterBeans(environment);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static EarlyStart holdfastEarlyStart() {
        return new EarlyStart();
    }

    @Bean
    static LockClientLifecycle holdfastLockClientLifecycle(
            ObjectProvider<LockProperties> properties, ConfigurableListableBeanFactory beans) {
        return new LockClientLifecycle(beans, properties);
    }

    /** A separate class, because its methods cannot be loaded without Lettuce and Spring Data Redis. */
    @Configuration(proxyBeanMethods = false)
    @Order(1)
    @ConditionalOnClass({RedisClient.class, RedisConnectionFactory.class, DataRedisConnectionDetails.class})
    @ConditionalOnMissingBean({LockClient.class, RedisSource.class})
    @Conditional(AnyFactory.class)
    static class OnApplicationRedis {
        @Bean
        RedisSource holdfastRedisSource(
                ConfigurableListableBeanFactory beans,
                Environment environment,
                @LockConnectionFactory ObjectProvider<RedisConnectionFactory> marked,
                ObjectProvider<RedisConnectionFactory> factories,
                ObjectProvider<DataRedisConnectionDetails> details) {
            return new ApplicationRedis(beans, environment, marked, factories, details).source();
        }
    }

    static final class AnyFactory extends AnyNestedCondition {
        AnyFactory() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnBean(RedisConnectionFactory.class)
        static class OfRedis {}

        @ConditionalOnBean(type = ApplicationValkey.FACTORY)
        static class OfValkey {}
    }

    @Configuration(proxyBeanMethods = false)
    @Order(2)
    @ConditionalOnClass(RedisClient.class)
    @ConditionalOnMissingBean(LockClient.class)
    @ConditionalOnBean(RedisSource.class)
    static class OnRedisSource {
        private static final String ANY_NAME = "lock";

        @Bean(StarterBeans.CLIENT)
        @Proxyable(ProxyType.INTERFACES)
        RedisLockClient holdfastLockClient(
                RedisSource source, LockProperties properties, ObjectProvider<LockClientCustomizer> customizers) {
            RedisLockClientBuilder builder =
                    RedisLockClient.builder(properties.separateSlots() ? source.withSeparateSlots() : source);
            customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
            RedisLockClient client = builder.buildStopped();
            try {
                var unused = client.getLock(ANY_NAME);
                return client;
            } catch (IllegalArgumentException e) {
                String reason = "with it no lock can be named. " + e.getMessage();
                throw LockProperties.refused("holdfast.key-prefix", properties.keyPrefix(), reason);
            }
        }
    }
}

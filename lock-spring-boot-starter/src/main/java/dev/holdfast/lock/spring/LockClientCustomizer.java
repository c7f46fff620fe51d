package dev.holdfast.lock.spring;

import dev.holdfast.lock.redis.RedisLockClientBuilder;

/**
 * Changes how the application's lock client is built. If there are several customizers, they are called in their {@code @Order}. The first one
 * applies the properties {@code holdfast.*}, so an application's customizers override the properties.
 *
 * <p>An application that builds the client itself calls all customizers, and so applies the properties as well:
 *
 * <pre>{@code
 * @Bean
 * LockClient lockClient(ObjectProvider<LockClientCustomizer> customizers) {
 *     RedisLockClientBuilder builder = RedisLockClient.builder(RedisSource.of("redis://locks.example"));
 *     customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
 *     return builder.buildStopped();
 * }
 * }</pre>
 *
 * <p>Such a client is started and closed with the context, too.
 */
@FunctionalInterface
public interface LockClientCustomizer {

    /** Changes the builder, which the properties and earlier customizers have already changed. */
    void customize(RedisLockClientBuilder builder);
}

package dev.holdfast.lock.spring;

import dev.holdfast.lock.redis.RedisLockClientBuilder;

/**
 * Changes how the application's lock client is built. Several are called in the order of their {@code @Order}. The properties {@code holdfast.*} are
 * the first of them, so that an application's own has the last word.
 *
 * <p>An application that builds a client itself calls all of them, and gets the properties that way:
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

    /** Changes the builder, as the properties and the customizers before this one left it. */
    void customize(RedisLockClientBuilder builder);
}

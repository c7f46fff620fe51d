package dev.holdfast.lock.spring;

import dev.holdfast.lock.redis.RedisLockClientBuilder;

/**
 * Changes how the application's lock client is built: a bean of this type has the last word, after the properties. Several are called in
 * the order of their {@code @Order}, anew each time the context starts.
 */
@FunctionalInterface
public interface LockClientCustomizer {

    /**
     * Changes what it wants to.
     *
     * @param builder as the properties left it
     */
    void customize(RedisLockClientBuilder builder);
}

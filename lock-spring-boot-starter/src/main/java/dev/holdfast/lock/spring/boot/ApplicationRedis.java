package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.connection.RedisSource;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The application's Redis as a source of connections for locks.
 *
 * <p>Only the connection factory counts, because that is where the application's data are: a user may have made it without any property.
 *
 * @param marked factories that the application marks for the locks
 * @param factories all of them
 * @param details the TLS material of a Jedis factory, which cannot be read from it
 */
record ApplicationRedis(
        ObjectProvider<RedisConnectionFactory> marked,
        ObjectProvider<RedisConnectionFactory> factories,
        ObjectProvider<DataRedisConnectionDetails> details) {

    private static final boolean JEDIS_IS_THERE =
            ClassUtils.isPresent("redis.clients.jedis.Jedis", ApplicationRedis.class.getClassLoader());

    RedisSource source() {
        RedisConnectionFactory factory = factory();
        Object proxied = AopProxyUtils.getSingletonTarget(factory);
        Object bare = proxied == null ? factory : proxied;
        if (bare instanceof LettuceConnectionFactory lettuce) {
            return new LettuceFactorySource(lettuce).source();
        }
        if (JEDIS_IS_THERE && bare instanceof JedisConnectionFactory jedis) {
            DataRedisConnectionDetails known = details.getIfAvailable();
            return new JedisFactorySource(jedis, known == null ? null : known.getSslBundle()).source();
        }
        throw unusable(
                "its RedisConnectionFactory is a " + bare.getClass().getName()
                        + ", and only those of Lettuce and Jedis say where Redis is",
                "Use a LettuceConnectionFactory");
    }

    private RedisConnectionFactory factory() {
        RedisConnectionFactory found =
                marked.stream().findAny().isPresent() ? marked.getIfUnique() : factories.getIfUnique();
        if (found != null) {
            return found;
        }
        long candidates = marked.stream().count();
        throw unusable(
                candidates > 1
                        ? candidates + " beans of type RedisConnectionFactory are marked with @LockConnectionFactory"
                        : "there are " + factories.stream().count()
                                + " beans of type RedisConnectionFactory and none is primary",
                candidates > 1
                        ? "Mark only the one whose Redis the locks are to be in"
                        : "Mark the one whose Redis the locks are to be in with @LockConnectionFactory, or as @Primary");
    }

    static LockStartupException unusable(String reason, String action) {
        return new LockStartupException(
                "Locks cannot use the application's Redis: " + reason + ".",
                action
                        + ". Or define a bean of type RedisSource, which says where the locks are: RedisSource.of(\"redis://…\").");
    }
}

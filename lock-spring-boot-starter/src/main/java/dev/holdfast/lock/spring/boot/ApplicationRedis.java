package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.connection.RedisSource;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The application's Redis as a source of connections for locks, looked at anew at each start of the context.
 *
 * <p>What the connection factory says counts, because that is where the application's data are: a user may have made it without any property.
 *
 * @param factory the application's
 * @param details where Spring Boot knows Redis to be, from properties, Testcontainers or Docker Compose
 * @param staticNodes a master and replicas by their addresses, where the application defines them as a bean
 */
record ApplicationRedis(
        RedisConnectionFactory factory,
        ObjectProvider<DataRedisConnectionDetails> details,
        ObjectProvider<RedisStaticMasterReplicaConfiguration> staticNodes)
        implements Supplier<RedisSource> {

    private static final boolean JEDIS_IS_THERE =
            ClassUtils.isPresent("redis.clients.jedis.Jedis", ApplicationRedis.class.getClassLoader());

    @Override
    public RedisSource get() {
        Object proxied = AopProxyUtils.getSingletonTarget(factory);
        Object bare = proxied == null ? factory : proxied;
        if (bare instanceof LettuceConnectionFactory lettuce) {
            return new LettuceFactorySource(lettuce, masterAndReplicas()).open();
        }
        if (JEDIS_IS_THERE && bare instanceof JedisConnectionFactory jedis) {
            DataRedisConnectionDetails known = details.getIfAvailable();
            return new JedisFactorySource(jedis, known == null ? null : known.getSslBundle()).open();
        }
        throw new UnusableConnectionFactoryException(
                "its RedisConnectionFactory is a " + bare.getClass().getName()
                        + ", and only those of Lettuce and Jedis say where Redis is",
                "Use a LettuceConnectionFactory");
    }

    private @Nullable RedisStaticMasterReplicaConfiguration masterAndReplicas() {
        RedisStaticMasterReplicaConfiguration defined = staticNodes.getIfAvailable();
        DataRedisConnectionDetails known = details.getIfAvailable();
        if (defined != null || known == null || known.getMasterReplica() == null) {
            return defined;
        }
        List<DataRedisConnectionDetails.Node> nodes = known.getMasterReplica().getNodes();
        RedisStaticMasterReplicaConfiguration configuration = new RedisStaticMasterReplicaConfiguration(
                nodes.get(0).host(), nodes.get(0).port());
        nodes.stream().skip(1).forEach(node -> configuration.node(node.host(), node.port()));
        configuration.setUsername(known.getUsername());
        if (known.getPassword() != null) {
            configuration.setPassword(RedisPassword.of(known.getPassword()));
        }
        return configuration;
    }
}

package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.connection.RedisSource;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Lock connections from an application's Lettuce factory: its event loops, its TLS material, its credentials.
 *
 * @param factory the application's
 */
record LettuceFactorySource(LettuceConnectionFactory factory) {

    /** Where the factory keeps what it was made from. Its getters tell everything but a master and replicas by their addresses. */
    static final String CONFIGURATION_FIELD = "configuration";

    RedisSource source() {
        RedisClusterConfiguration cluster = factory.getClusterConfiguration();
        if (cluster != null) {
            // Not the factory's own client: unless configured to, that never refreshes the masters, and a cluster's
            // failover would end all locks.
            return withClientsOf(RedisSource.cluster(addresses().cluster(cluster, credentials(cluster))));
        }
        RedisStaticMasterReplicaConfiguration nodes = masterAndReplicas();
        if (nodes != null) {
            // The factory's client has no address of its own then.
            return withClientsOf(RedisSource.replicated(addresses().replicated(nodes, credentials(nodes))));
        }
        // Called at each start: a factory that was stopped and started has another client.
        return RedisSource.of(() -> (RedisClient) factory.getRequiredNativeClient());
    }

    private @Nullable RedisStaticMasterReplicaConfiguration masterAndReplicas() {
        Field field = ReflectionUtils.findField(LettuceConnectionFactory.class, CONFIGURATION_FIELD);
        if (field == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(field);
        return ReflectionUtils.getField(field, factory) instanceof RedisStaticMasterReplicaConfiguration nodes
                ? nodes
                : null;
    }

    private RedisSource withClientsOf(RedisSource source) {
        LettuceClientConfiguration client = factory.getClientConfiguration();
        RedisSource shared =
                client.getClientResources().map(source::withResources).orElse(source);
        return client.getClientOptions().map(shared::withOptions).orElse(shared);
    }

    private RedisAddresses addresses() {
        return new RedisAddresses(this::secure);
    }

    private void secure(RedisURI address) {
        LettuceClientConfiguration client = factory.getClientConfiguration();
        address.setSsl(client.isUseSsl());
        address.setVerifyPeer(client.getVerifyMode());
        address.setStartTls(client.isStartTls());
        client.getClientName().ifPresent(address::setClientName);
    }

    private @Nullable RedisCredentialsProvider credentials(RedisConfiguration configuration) {
        return factory.getClientConfiguration()
                .getRedisCredentialsProviderFactory()
                .map(credentials -> credentials.createCredentialsProvider(configuration))
                .orElse(null);
    }
}

package dev.holdfast.lock.spring.boot;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

/** Spring Data's addresses as Lettuce's. The transport sets TLS and client name; credentials replace the configuration's. */
record RedisAddresses(
        Consumer<RedisURI> transport, @Nullable RedisCredentialsProvider credentials) {

    RedisURI standalone(RedisStandaloneConfiguration configuration) {
        RedisURI address = address(configuration.getHostName(), configuration.getPort());
        address.setDatabase(configuration.getDatabase());
        authenticate(address, configuration.getUsername(), configuration.getPassword());
        return address;
    }

    RedisURI sentinel(RedisSentinelConfiguration configuration) {
        RedisURI address = new RedisURI();
        address.setSentinelMasterId(
                String.valueOf(configuration.getRequiredMaster().getName()));
        address.setDatabase(configuration.getDatabase());
        transport.accept(address);
        authenticate(address, configuration.getUsername(), configuration.getPassword());
        for (RedisNode node : configuration.getSentinels()) {
            RedisURI sentinel = address(node.getRequiredHost(), node.getPortOr(RedisNode.DEFAULT_SENTINEL_PORT));
            authenticate(sentinel, configuration.getSentinelUsername(), configuration.getSentinelPassword());
            address.getSentinels().add(sentinel);
        }
        return address;
    }

    RedisURI[] cluster(RedisClusterConfiguration configuration) {
        return configuration.getClusterNodes().stream()
                .map(node -> address(node.getRequiredHost(), node.getPortOr(RedisNode.DEFAULT_PORT)))
                .peek(address -> authenticate(address, configuration.getUsername(), configuration.getPassword()))
                .toArray(RedisURI[]::new);
    }

    RedisURI[] replicated(RedisStaticMasterReplicaConfiguration configuration) {
        return configuration.getNodes().stream()
                .map(node -> address(node.getHostName(), node.getPort()))
                .peek(address -> address.setDatabase(configuration.getDatabase()))
                .peek(address -> authenticate(address, configuration.getUsername(), configuration.getPassword()))
                .toArray(RedisURI[]::new);
    }

    private RedisURI address(String host, int port) {
        RedisURI address = RedisURI.create(host, port);
        transport.accept(address);
        return address;
    }

    private void authenticate(RedisURI address, @Nullable String username, RedisPassword password) {
        if (credentials != null) {
            address.setCredentialsProvider(credentials);
            return;
        }
        password.toOptional()
                .ifPresent(secret -> address.setCredentialsProvider(new StaticCredentialsProvider(username, secret)));
    }
}

package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.LockStartupException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.StaticCredentialsProvider;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

/**
 * Converts Spring Data's addresses to Lettuce's. The transport sets TLS and the client name. Credentials, if given, replace the configuration's.
 */
record RedisAddresses(
        Consumer<RedisURI> transport, @Nullable RedisCredentialsProvider credentials) {
    RedisSource source(@Nullable Object configuration) {
        if (configuration instanceof RedisClusterConfiguration cluster) {
            return RedisSource.cluster(cluster(cluster));
        }
        if (configuration instanceof RedisStaticMasterReplicaConfiguration nodes) {
            return RedisSource.replicated(replicated(nodes));
        }
        if (configuration instanceof RedisSentinelConfiguration sentinel) {
            return RedisSource.of(sentinel(sentinel));
        }
        if (configuration instanceof RedisStandaloneConfiguration standalone) {
            return RedisSource.of(standalone(standalone));
        }
        throw unusable(
                "the connection factory has no server, sentinels or cluster configured",
                "Give it an address, or use Lettuce");
    }

    private RedisURI standalone(RedisStandaloneConfiguration configuration) {
        RedisURI address = address(configuration.getHostName(), configuration.getPort());
        address.setDatabase(configuration.getDatabase());
        authenticate(address, configuration.getUsername(), configuration.getPassword());
        return address;
    }

    private RedisURI sentinel(RedisSentinelConfiguration configuration) {
        RedisURI address = new RedisURI();
        NamedNode master = configuration.getMaster();
        address.setSentinelMasterId(master == null ? "" : String.valueOf(master.getName()));
        address.setDatabase(configuration.getDatabase());
        transport.accept(address);
        authenticate(address, configuration.getUsername(), configuration.getPassword());
        for (RedisNode node : configuration.getSentinels()) {
            RedisURI sentinel = address(node.getRequiredHost(), node.getPortOr(RedisNode.DEFAULT_SENTINEL_PORT));
            logIn(sentinel, configuration.getSentinelUsername(), configuration.getSentinelPassword());
            address.getSentinels().add(sentinel);
        }
        return address;
    }

    private RedisURI[] cluster(RedisClusterConfiguration configuration) {
        return configuration.getClusterNodes().stream()
                .map(node -> address(node.getRequiredHost(), node.getPortOr(RedisNode.DEFAULT_PORT)))
                .peek(address -> authenticate(address, configuration.getUsername(), configuration.getPassword()))
                .toArray(RedisURI[]::new);
    }

    private RedisURI[] replicated(RedisStaticMasterReplicaConfiguration configuration) {
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
        if (credentials == null) {
            logIn(address, username, password);
        } else {
            address.setCredentialsProvider(credentials);
        }
    }

    private static void logIn(RedisURI address, @Nullable String username, RedisPassword password) {
        password.toOptional()
                .ifPresent(secret -> address.setCredentialsProvider(new StaticCredentialsProvider(username, secret)));
    }

    static ClientOptions tls(SslBundle bundle) {
        SslOptions.Builder ssl = SslOptions.builder()
                .keyManager(bundle.getManagers().getKeyManagerFactory())
                .trustManager(bundle.getManagers().getTrustManagerFactory());
        String[] ciphers = bundle.getOptions().getCiphers();
        if (ciphers != null) {
            ssl.cipherSuites(ciphers);
        }
        String[] protocols = bundle.getOptions().getEnabledProtocols();
        if (protocols != null) {
            ssl.protocols(protocols);
        }
        return ClientOptions.builder().sslOptions(ssl.build()).build();
    }

    static LockStartupException unusable(String reason, String action) {
        return new LockStartupException(
                "Locks cannot use the application's Redis: " + reason + ".", action + """
                        . Or define a RedisSource bean, which specifies the Redis of the locks:

                            @Bean RedisSource lockSource() {
                                return RedisSource.of("rediss://user:password@host:6379");
                            }""", null);
    }
}

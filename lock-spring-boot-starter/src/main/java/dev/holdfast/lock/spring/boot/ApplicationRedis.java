package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.LockStartupException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.StaticCredentialsProvider;
import java.lang.reflect.Field;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the application's Redis from its connection factory, because a factory may have been created without any property. A Jedis factory does not
 * reveal its TLS material, so this comes from the connection details. Factories that are marked for locks are preferred.
 */
record ApplicationRedis(
        ObjectProvider<RedisConnectionFactory> marked,
        ObjectProvider<RedisConnectionFactory> factories,
        ObjectProvider<DataRedisConnectionDetails> details) {

    /**
     * The field in which a Lettuce factory keeps its configuration. The getters return every type of configuration except a master and replicas by
     * their addresses.
     */
    static final String CONFIGURATION_FIELD = "configuration";

    private static final boolean JEDIS_IS_PRESENT =
            ClassUtils.isPresent("redis.clients.jedis.Jedis", ApplicationRedis.class.getClassLoader());

    RedisSource source() {
        RedisConnectionFactory factory = factory();
        Object proxied = AopProxyUtils.getSingletonTarget(factory);
        Object bare = proxied == null ? factory : proxied;
        if (bare instanceof LettuceConnectionFactory lettuce) {
            return new OfLettuce(lettuce).source();
        }
        if (JEDIS_IS_PRESENT && bare instanceof JedisConnectionFactory jedis) {
            DataRedisConnectionDetails known = details.getIfAvailable();
            return new OfJedis(jedis, known == null ? null : known.getSslBundle()).source();
        }
        throw unusable(
                "its RedisConnectionFactory is a " + bare.getClass().getName()
                        + ", and only those of Lettuce and Jedis say where Redis is",
                "Use a LettuceConnectionFactory");
    }

    private RedisConnectionFactory factory() {
        long candidates = marked.stream().count();
        RedisConnectionFactory found = candidates > 0 ? marked.getIfUnique() : factories.getIfUnique();
        if (found != null) {
            return found;
        }
        String beans = " beans of type RedisConnectionFactory";
        throw candidates > 1
                ? unusable(
                        candidates + beans + " are marked with @LockConnectionFactory",
                        "Mark only the one whose Redis the locks use")
                : unusable(
                        "there are " + factories.stream().count() + beans + " and none is primary",
                        "Mark the one whose Redis the locks use with @LockConnectionFactory, or as @Primary");
    }

    private static LockStartupException unusable(String reason, String action) {
        return new LockStartupException(
                "Locks cannot use the application's Redis: " + reason + ".",
                action
                        + ". Or define a RedisSource bean, which says where the locks are: RedisSource.of(\"redis://…\").",
                null);
    }

    /** A source of lock connections that share a Lettuce factory's event loops, TLS material and credentials. */
    private record OfLettuce(LettuceConnectionFactory factory) {
        RedisSource source() {
            RedisClusterConfiguration cluster = factory.getClusterConfiguration();
            if (cluster != null) {
                // The factory's own client is not used. Unless configured to, it never refreshes the masters, and a
                // cluster's failover would end all locks.
                return withClientsOf(RedisSource.cluster(addresses(cluster).cluster(cluster)));
            }
            RedisStaticMasterReplicaConfiguration nodes = masterAndReplicas();
            if (nodes != null) {
                // In this case, the factory's client has no address of its own.
                return withClientsOf(RedisSource.replicated(addresses(nodes).replicated(nodes)));
            }
            // The supplier is called at each start, because a factory that was stopped and started has another client.
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

        private RedisAddresses addresses(RedisConfiguration configuration) {
            LettuceClientConfiguration client = factory.getClientConfiguration();
            RedisCredentialsProvider credentials = client.getRedisCredentialsProviderFactory()
                    .map(made -> made.createCredentialsProvider(configuration))
                    .orElse(null);
            Consumer<RedisURI> transport = address -> {
                address.setSsl(client.isUseSsl());
                address.setVerifyPeer(client.getVerifyMode());
                address.setStartTls(client.isStartTls());
                client.getClientName().ifPresent(address::setClientName);
            };
            return new RedisAddresses(transport, credentials);
        }
    }

    /** A source of Lettuce connections to the addresses of a Jedis factory, with their own event loops. */
    private record OfJedis(
            JedisConnectionFactory factory, @Nullable SslBundle sslBundle) {
        RedisSource source() {
            boolean opaque = factory.isUseSsl()
                    && factory.getClientConfiguration().getSslSocketFactory().isPresent();
            if (sslBundle == null && opaque) {
                throw unusable(
                        "the SSLSocketFactory of the JedisConnectionFactory does not reveal its TLS material",
                        "Give it as an SSL bundle: spring.data.redis.ssl.bundle");
            }
            return sslBundle == null ? addressed() : addressed().withOptions(options(sslBundle));
        }

        private RedisSource addressed() {
            Consumer<RedisURI> transport = address -> {
                address.setSsl(factory.isUseSsl());
                factory.getClientConfiguration().getClientName().ifPresent(address::setClientName);
            };
            RedisAddresses addresses = new RedisAddresses(transport, null);
            RedisClusterConfiguration cluster = factory.getClusterConfiguration();
            if (cluster != null) {
                return RedisSource.cluster(addresses.cluster(cluster));
            }
            RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
            if (sentinel != null) {
                return RedisSource.of(addresses.sentinel(sentinel));
            }
            RedisStandaloneConfiguration standalone = factory.getStandaloneConfiguration();
            if (standalone == null) {
                throw unusable(
                        "the JedisConnectionFactory has no server, sentinels or cluster configured",
                        "Give it an address, or use Lettuce");
            }
            return RedisSource.of(addresses.standalone(standalone));
        }

        private static ClientOptions options(SslBundle bundle) {
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
    }

    /**
     * Converts Spring Data's addresses to Lettuce's. The transport sets TLS and the client name. Credentials, if given, replace the configuration's.
     */
    private record RedisAddresses(
            Consumer<RedisURI> transport, @Nullable RedisCredentialsProvider credentials) {
        RedisURI standalone(RedisStandaloneConfiguration configuration) {
            RedisURI address = address(configuration.getHostName(), configuration.getPort());
            address.setDatabase(configuration.getDatabase());
            authenticate(address, configuration.getUsername(), configuration.getPassword());
            return address;
        }

        RedisURI sentinel(RedisSentinelConfiguration configuration) {
            RedisURI address = new RedisURI();
            NamedNode master = configuration.getMaster();
            address.setSentinelMasterId(master == null ? "" : String.valueOf(master.getName()));
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
                    .ifPresent(
                            secret -> address.setCredentialsProvider(new StaticCredentialsProvider(username, secret)));
        }
    }
}

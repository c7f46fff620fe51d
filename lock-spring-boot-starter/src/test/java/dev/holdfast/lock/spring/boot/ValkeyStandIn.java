package dev.holdfast.lock.spring.boot;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.resource.ClientResources;
import io.valkey.springframework.data.valkey.connection.ValkeyConnectionFactory;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the types of Spring Data Valkey 1.0 and 2.0, which this build does not depend on: with their simple names, fields and getters. They
 * are records, so a component is named like a getter.
 */
final class ValkeyStandIn {

    private ValkeyStandIn() {}

    static ValkeyPassword password(@Nullable String secret) {
        return new ValkeyPassword(Optional.ofNullable(secret).map(String::toCharArray));
    }

    static ValkeyStandaloneConfiguration standalone(int port) {
        return new ValkeyStandaloneConfiguration("127.0.0.1", port, 0, null, password(null));
    }

    static ValkeyClusterConfiguration cluster(Integer... ports) {
        return new ValkeyClusterConfiguration(nodes(ports), null, password(null));
    }

    static Set<ValkeyNode> nodes(Integer... ports) {
        Set<ValkeyNode> nodes = new LinkedHashSet<>();
        Arrays.stream(ports).map(port -> new ValkeyNode("127.0.0.1", port)).forEach(nodes::add);
        return nodes;
    }

    static GlideFactory glide(Object configuration) {
        return new GlideFactory(configuration, new GlideClient(false, null));
    }

    static JedisFactory jedis(Object configuration) {
        return new JedisFactory(configuration, new JedisClient(false, Optional.empty(), Optional.empty()));
    }

    static LettuceFactory lettuce(Object configuration) {
        return new LettuceFactory(configuration, lettuceClient(false, null, null));
    }

    static LettuceClient lettuceClient(
            boolean tls, @Nullable ClientOptions options, @Nullable CredentialsFactory credentials) {
        return new LettuceClient(
                tls,
                SslVerifyMode.FULL,
                false,
                Optional.ofNullable(options),
                Optional.empty(),
                Optional.of("shop"),
                Optional.ofNullable(credentials));
    }

    record ValkeyPassword(Optional<char[]> toOptional) {}

    record ValkeyNode(String getHost, Integer getPort) {}

    record NamedNode(String getName) {}

    record ValkeyStandaloneConfiguration(
            String getHostName,
            int getPort,
            int getDatabase,
            @Nullable String getUsername,
            ValkeyPassword getPassword) {}

    record ValkeySentinelConfiguration(
            NamedNode getMaster,
            Set<ValkeyNode> getSentinels,
            int getDatabase,
            @Nullable String getUsername,
            ValkeyPassword getPassword,
            @Nullable String getSentinelUsername,
            ValkeyPassword getSentinelPassword) {}

    record ValkeyClusterConfiguration(
            Set<ValkeyNode> getClusterNodes, @Nullable String getUsername, ValkeyPassword getPassword) {}

    record ValkeyStaticMasterReplicaConfiguration(
            List<ValkeyStandaloneConfiguration> getNodes,
            int getDatabase,
            @Nullable String getUsername,
            ValkeyPassword getPassword) {}

    record ValkeySocketConfiguration(String getSocket) {}

    record GlideClient(boolean isUseSsl, @Nullable Object getIamAuthentication) {
        /** With options of a type of its own. */
        public Optional<Object> getClientOptions() {
            return Optional.of("none of Lettuce's");
        }
    }

    record JedisClient(
            boolean isUseSsl, Optional<SSLSocketFactory> getSslSocketFactory, Optional<Object> getCustomizer) {
        public Optional<String> getClientName() {
            return Optional.empty();
        }
    }

    record LettuceClient(
            boolean isUseSsl,
            SslVerifyMode getVerifyMode,
            boolean isStartTls,
            Optional<ClientOptions> getClientOptions,
            Optional<ClientResources> getClientResources,
            Optional<String> getClientName,
            Optional<CredentialsFactory> getRedisCredentialsProviderFactory) {}

    interface CredentialsFactory {
        RedisCredentialsProvider createCredentialsProvider(Object configuration);
    }

    /** Valkey GLIDE knows neither sentinels nor a standalone configuration where there is another one. */
    record GlideFactory(Object configuration, GlideClient getClientConfiguration) implements ValkeyConnectionFactory {
        public Object getSentinelConfiguration() {
            throw new UnsupportedOperationException("Sentinel connections not supported with Valkey-Glide!");
        }
    }

    /** Has a standalone configuration of localhost wherever it leads. */
    record LettuceFactory(Object configuration, LettuceClient getClientConfiguration)
            implements ValkeyConnectionFactory {
        public Object getStandaloneConfiguration() {
            return new ValkeyStandaloneConfiguration("localhost", 6379, 0, null, password(null));
        }
    }

    /** Keeps a standalone configuration in another field than others. */
    static final class JedisFactory implements ValkeyConnectionFactory {
        private final @Nullable Object configuration;
        private final Object standaloneConfig;
        private final JedisClient client;

        JedisFactory(Object configuration, JedisClient client) {
            boolean standalone = configuration instanceof ValkeyStandaloneConfiguration;
            this.configuration = standalone ? null : configuration;
            this.standaloneConfig = standalone
                    ? configuration
                    : new ValkeyStandaloneConfiguration("localhost", 6379, 0, null, password(null));
            this.client = client;
        }

        public JedisClient getClientConfiguration() {
            return client;
        }

        public Object getStandaloneConfiguration() {
            return standaloneConfig;
        }

        @Override
        public String toString() {
            return "Jedis, " + configuration;
        }
    }
}

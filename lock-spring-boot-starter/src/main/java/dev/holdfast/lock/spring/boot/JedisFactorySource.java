package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.connection.RedisSource;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Lock connections for an application that talks to Redis over Jedis: Lettuce connections to the same addresses, with event loops of their own.
 *
 * @param factory the application's
 * @param sslBundle the TLS material, if the application's properties name any; it cannot be read from a factory
 */
record JedisFactorySource(
        JedisConnectionFactory factory, @Nullable SslBundle sslBundle) {

    RedisSource source() {
        if (isOwnTls()) {
            throw ApplicationRedis.unusable(
                    "the TLS material of the JedisConnectionFactory cannot be read out of its SSLSocketFactory",
                    "Give it as an SSL bundle: spring.data.redis.ssl.bundle");
        }
        RedisSource source = addressed();
        return sslBundle == null ? source : source.withOptions(options(sslBundle));
    }

    private boolean isOwnTls() {
        return sslBundle == null
                && factory.isUseSsl()
                && factory.getClientConfiguration().getSslSocketFactory().isPresent();
    }

    private RedisSource addressed() {
        RedisAddresses addresses = new RedisAddresses(this::secure);
        RedisClusterConfiguration cluster = factory.getClusterConfiguration();
        if (cluster != null) {
            return RedisSource.cluster(addresses.cluster(cluster, null));
        }
        RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
        if (sentinel != null) {
            return RedisSource.of(addresses.sentinel(sentinel));
        }
        RedisStandaloneConfiguration standalone = factory.getStandaloneConfiguration();
        if (standalone == null) {
            throw ApplicationRedis.unusable(
                    "the JedisConnectionFactory has no server, sentinels or cluster configured",
                    "Give it an address, or use Lettuce");
        }
        return RedisSource.of(addresses.standalone(standalone));
    }

    private void secure(RedisURI address) {
        address.setSsl(factory.isUseSsl());
        factory.getClientConfiguration().getClientName().ifPresent(address::setClientName);
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

package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.redis.RedisSource;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Finds the application's Redis from its connection factory, because a factory may have been created without any property. A Jedis factory does not
 * reveal its TLS material, so this comes from the connection details. Factories that are marked for locks are preferred. If the
 * application configures no Redis, the factory that Spring Boot creates leads to localhost, where each instance could lock alone. Then a factory of
 * Spring Data Valkey is preferred.
 */
record ApplicationRedis(
        ConfigurableListableBeanFactory beans,
        Environment environment,
        ObjectProvider<RedisConnectionFactory> marked,
        ObjectProvider<RedisConnectionFactory> factories,
        ObjectProvider<DataRedisConnectionDetails> details) {

    private static final boolean JEDIS_IS_PRESENT =
            ClassUtils.isPresent("redis.clients.jedis.Jedis", ApplicationRedis.class.getClassLoader());

    RedisSource source() {
        ApplicationValkey valkey = new ApplicationValkey(beans, environment);
        List<String> markedForLocks = valkey.markedNames();
        int candidates = marked.stream().toList().size() + markedForLocks.size();
        if (candidates > 1) {
            throw RedisAddresses.unusable(
                    candidates + " connection factories are marked with @LockConnectionFactory",
                    "Mark only the one whose Redis the locks use");
        }
        if (!markedForLocks.isEmpty()) {
            return valkey.source(target(beans.getBean(markedForLocks.get(0))));
        }
        boolean isDefault = candidates == 0 && isUnconfigured();
        if (isDefault && valkey.isPresent()) {
            return valkey.source(target(unique(beans.getBeanProvider(valkey.type()), "ValkeyConnectionFactory")));
        }
        RedisConnectionFactory factory =
                candidates == 1 ? marked.getObject() : unique(factories, "RedisConnectionFactory");
        CloudPlatform platform = isDefault ? CloudPlatform.getActive(environment) : null;
        if (platform != null && platform != CloudPlatform.NONE) {
            LogFactory.getLog(ApplicationRedis.class)
                    .warn(
                            "Locks use localhost:6379, because the application does not configure its Redis, and each instance on "
                                    + platform
                                    + " can have its own localhost. Set spring.data.redis.host, even if it is localhost.");
        }
        return sourceOf(target(factory));
    }

    /** Returns whether the only factory is Spring Boot's, and no property, bean or service connection configures its address. */
    private boolean isUnconfigured() {
        String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, RedisConnectionFactory.class);
        if (names.length != 1) {
            return names.length == 0;
        }
        Object factory = target(beans.getBean(names[0]));
        return new RedisStandaloneConfiguration().equals(ApplicationValkey.configuration(factory))
                && isMadeByBoot(names[0])
                && details.stream().allMatch(each -> isOfBoot(each.getClass()))
                && Stream.of("host", "port", "url")
                        .noneMatch(name -> environment.containsProperty("spring.data.redis." + name));
    }

    private boolean isMadeByBoot(String name) {
        Method method = beans.containsBeanDefinition(name)
                        && beans.getMergedBeanDefinition(name) instanceof RootBeanDefinition definition
                ? definition.getResolvedFactoryMethod()
                : null;
        return method != null && isOfBoot(method.getDeclaringClass());
    }

    private static boolean isOfBoot(Class<?> type) {
        return type.getPackage().equals(DataRedisConnectionDetails.class.getPackage());
    }

    private RedisSource sourceOf(Object factory) {
        if (factory instanceof LettuceConnectionFactory lettuce) {
            return source(lettuce);
        }
        if (JEDIS_IS_PRESENT && factory instanceof JedisConnectionFactory jedis) {
            DataRedisConnectionDetails known = details.getIfAvailable();
            return new OfJedis(jedis, known == null ? null : known.getSslBundle()).source();
        }
        throw RedisAddresses.unusable(
                "its RedisConnectionFactory is a " + factory.getClass().getName()
                        + ", and only those of Lettuce and Jedis say where Redis is",
                "Use a LettuceConnectionFactory");
    }

    private static <T> T unique(ObjectProvider<T> factories, String type) {
        T found = factories.getIfUnique();
        if (found == null) {
            throw RedisAddresses.unusable(
                    "there are " + factories.stream().count() + " beans of type " + type + " and none is primary",
                    "Mark the one whose Redis the locks use with @LockConnectionFactory, or as @Primary");
        }
        return found;
    }

    private static Object target(Object factory) {
        Object proxied = AopProxyUtils.getSingletonTarget(factory);
        return proxied == null ? factory : proxied;
    }

    /** A source of lock connections that share a Lettuce factory's event loops, TLS material and credentials. */
    private static RedisSource source(LettuceConnectionFactory factory) {
        RedisClusterConfiguration cluster = factory.getClusterConfiguration();
        if (cluster != null) {
            // The factory's own client is not used. Unless configured to, it never refreshes the masters, and a
            // cluster's failover would end all locks.
            return withClientsOf(factory, addresses(factory, cluster).source(cluster));
        }
        if (ApplicationValkey.configuration(factory) instanceof RedisStaticMasterReplicaConfiguration nodes) {
            // In this case, the factory's client has no address of its own.
            return withClientsOf(factory, addresses(factory, nodes).source(nodes));
        }
        // The supplier is called at each start, because a factory that was stopped and started has another client.
        return RedisSource.of(() -> (RedisClient) factory.getRequiredNativeClient());
    }

    private static RedisSource withClientsOf(LettuceConnectionFactory factory, RedisSource source) {
        LettuceClientConfiguration client = factory.getClientConfiguration();
        RedisSource shared =
                client.getClientResources().map(source::withResources).orElse(source);
        return client.getClientOptions().map(shared::withOptions).orElse(shared);
    }

    private static RedisAddresses addresses(LettuceConnectionFactory factory, RedisConfiguration configuration) {
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

    /** A source of Lettuce connections to the addresses of a Jedis factory, with their own event loops. */
    private record OfJedis(
            JedisConnectionFactory factory, @Nullable SslBundle sslBundle) {
        RedisSource source() {
            boolean opaque = factory.isUseSsl()
                    && factory.getClientConfiguration().getSslSocketFactory().isPresent();
            if (sslBundle == null && opaque) {
                throw RedisAddresses.unusable(
                        "the SSLSocketFactory of the JedisConnectionFactory does not reveal its TLS material",
                        "Give it as an SSL bundle: spring.data.redis.ssl.bundle");
            }
            return sslBundle == null ? addressed() : addressed().withOptions(RedisAddresses.tls(sslBundle));
        }

        private RedisSource addressed() {
            Consumer<RedisURI> transport = address -> {
                address.setSsl(factory.isUseSsl());
                factory.getClientConfiguration().getClientName().ifPresent(address::setClientName);
            };
            return new RedisAddresses(transport, null).source(ApplicationValkey.configuration(factory));
        }
    }
}

package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.LockConnectionFactory;
import dev.holdfast.lock.spring.LockStartupException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.resource.ClientResources;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the application's Valkey from a connection factory of Spring Data Valkey, which is a fork of Spring Data Redis. Holdfast does not depend on
 * it, and calls its getters by name. A factory that has another shape is refused.
 */
record ApplicationValkey(ConfigurableListableBeanFactory beans, Environment environment) {

    static final String FACTORY = "io.valkey.springframework.data.valkey.connection.ValkeyConnectionFactory";

    /**
     * The field in which a factory keeps its configuration. The getters return every type of configuration except a master and replicas by their
     * addresses, and one of a single server even if there is another.
     */
    static final String CONFIGURATION_FIELD = "configuration";

    private static final String BUNDLE = "spring.data.valkey.ssl.bundle";

    boolean isPresent() {
        return !names().isEmpty();
    }

    List<String> markedNames() {
        return names().stream()
                .filter(name -> beans.findAnnotationOnBean(name, LockConnectionFactory.class) != null)
                .toList();
    }

    private List<String> names() {
        return ClassUtils.isPresent(FACTORY, beans.getBeanClassLoader())
                ? List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type()))
                : List.of();
    }

    Class<?> type() {
        return ClassUtils.resolveClassName(FACTORY, beans.getBeanClassLoader());
    }

    RedisSource source(Object factory) {
        Object configuration = configuration(factory);
        if (configuration == null) {
            throw unreadable(factory, "configuration");
        }
        Object client = get(factory, "getClientConfiguration");
        for (String opaque : List.of("getCustomizer", "getIamAuthentication")) {
            if (find(client, opaque) != null) {
                throw unreadable(client, opaque);
            }
        }
        RedisSource source = new RedisAddresses(transport(client), credentials(client, configuration))
                .source(converted(configuration));
        if (find(client, "getClientResources") instanceof ClientResources resources) {
            source = source.withResources(resources);
        }
        ClientOptions options = options(client);
        return options == null ? source : source.withOptions(options);
    }

    private @Nullable ClientOptions options(Object client) {
        if (find(client, "getClientOptions") instanceof ClientOptions options) {
            return options;
        }
        String bundle = environment.getProperty(BUNDLE);
        if (bundle != null) {
            return RedisAddresses.tls(beans.getBean(SslBundles.class).getBundle(bundle));
        }
        if (find(client, "getSslSocketFactory") != null) {
            throw unreadable(client, "getSslSocketFactory");
        }
        return null;
    }

    private static Consumer<RedisURI> transport(Object client) {
        boolean isTls = (boolean) get(client, "isUseSsl");
        return address -> {
            address.setSsl(isTls);
            address.setStartTls(Boolean.TRUE.equals(find(client, "isStartTls")));
            if (find(client, "getVerifyMode") instanceof SslVerifyMode mode) {
                address.setVerifyPeer(mode);
            }
            if (find(client, "getClientName") instanceof String name) {
                address.setClientName(name);
            }
        };
    }

    private static @Nullable RedisCredentialsProvider credentials(Object client, Object configuration) {
        // Version 1 and version 2 differ in the first part of the name.
        return Arrays.stream(client.getClass().getMethods())
                .filter(method -> method.getName().endsWith("CredentialsProviderFactory"))
                .map(method -> find(client, method.getName()))
                .filter(Objects::nonNull)
                .map(providers ->
                        (RedisCredentialsProvider) find(providers, "createCredentialsProvider", configuration))
                .findFirst()
                .orElse(null);
    }

    private static RedisConfiguration converted(Object from) {
        switch (from.getClass().getSimpleName()) {
            case "ValkeyStandaloneConfiguration" -> {
                RedisStandaloneConfiguration to =
                        new RedisStandaloneConfiguration(host(from, "getHostName"), port(from));
                to.setDatabase((int) get(from, "getDatabase"));
                return withLogin(to, from);
            }
            case "ValkeySentinelConfiguration" -> {
                RedisSentinelConfiguration to = new RedisSentinelConfiguration();
                to.setMaster((String) get(get(from, "getMaster"), "getName"));
                nodes(from, "getSentinels")
                        .forEach(node -> to.addSentinel(new RedisNode(host(node, "getHost"), port(node))));
                to.setDatabase((int) get(from, "getDatabase"));
                to.setSentinelUsername((String) find(from, "getSentinelUsername"));
                to.setSentinelPassword(password(from, "getSentinelPassword"));
                return withLogin(to, from);
            }
            case "ValkeyClusterConfiguration" -> {
                RedisClusterConfiguration to = new RedisClusterConfiguration();
                nodes(from, "getClusterNodes")
                        .forEach(node -> to.addClusterNode(new RedisNode(host(node, "getHost"), port(node))));
                return withLogin(to, from);
            }
            case "ValkeyStaticMasterReplicaConfiguration" -> {
                List<?> nodes = nodes(from, "getNodes").toList();
                RedisStaticMasterReplicaConfiguration to = new RedisStaticMasterReplicaConfiguration(
                        host(nodes.get(0), "getHostName"), port(nodes.get(0)));
                nodes.stream().skip(1).forEach(node -> to.addNode(host(node, "getHostName"), port(node)));
                to.setDatabase((int) get(from, "getDatabase"));
                return withLogin(to, from);
            }
            default -> throw unreadable(from, "address");
        }
    }

    private static String host(Object node, String getter) {
        return (String) get(node, getter);
    }

    private static int port(Object node) {
        return (int) get(node, "getPort");
    }

    private static Stream<?> nodes(Object configuration, String getter) {
        return StreamSupport.stream(((Iterable<?>) get(configuration, getter)).spliterator(), false);
    }

    private static <C extends RedisConfiguration & WithAuthentication> C withLogin(C to, Object from) {
        to.setUsername((String) find(from, "getUsername"));
        to.setPassword(password(from, "getPassword"));
        return to;
    }

    private static RedisPassword password(Object from, String getter) {
        return find(get(from, getter), "toOptional") instanceof char[] secret
                ? RedisPassword.of(secret)
                : RedisPassword.none();
    }

    /** Returns the configuration of a connection factory of Spring Data Redis or Valkey, or null if it cannot be read. */
    static @Nullable Object configuration(Object factory) {
        Field field = ReflectionUtils.findField(factory.getClass(), CONFIGURATION_FIELD);
        if (field == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(field);
        Object configuration = ReflectionUtils.getField(field, factory);
        // A Jedis factory leaves the field empty if it leads to a single server.
        return configuration == null ? find(factory, "getStandaloneConfiguration") : configuration;
    }

    private static Object get(Object from, String getter) {
        Object value = find(from, getter);
        if (value == null) {
            throw unreadable(from, getter);
        }
        return value;
    }

    /** Returns what a method returns, or null if there is no such method or nothing in the optional that it returns. */
    static @Nullable Object find(Object from, String name, Object... arguments) {
        Method method = ReflectionUtils.findMethod(from.getClass(), name, (Class<?>[]) null);
        if (method == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(method);
        Object value = ReflectionUtils.invokeMethod(method, from, arguments);
        return value instanceof Optional<?> optional ? optional.orElse(null) : value;
    }

    private static LockStartupException unreadable(Object from, String what) {
        return RedisAddresses.unusable(
                "it has a ValkeyConnectionFactory, and Holdfast cannot use '" + what + "' of its "
                        + from.getClass().getName(),
                "Use a factory of GLIDE, Lettuce or Jedis whose address and credentials are settings, and whose TLS"
                        + " material is an SSL bundle (" + BUNDLE + ")");
    }
}

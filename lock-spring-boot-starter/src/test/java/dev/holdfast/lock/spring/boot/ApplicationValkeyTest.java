package dev.holdfast.lock.spring.boot;

import static dev.holdfast.lock.spring.boot.ValkeyStandIn.glide;
import static dev.holdfast.lock.spring.boot.ValkeyStandIn.jedis;
import static dev.holdfast.lock.spring.boot.ValkeyStandIn.lettuce;
import static dev.holdfast.lock.spring.boot.ValkeyStandIn.lettuceClient;
import static dev.holdfast.lock.spring.boot.ValkeyStandIn.nodes;
import static dev.holdfast.lock.spring.boot.ValkeyStandIn.password;
import static dev.holdfast.lock.spring.boot.ValkeyStandIn.standalone;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.LockConnectionFactory;
import dev.holdfast.lock.spring.LockStartupException;
import dev.holdfast.lock.spring.boot.ValkeyStandIn.GlideClient;
import dev.holdfast.lock.spring.boot.ValkeyStandIn.GlideFactory;
import dev.holdfast.lock.spring.boot.ValkeyStandIn.JedisClient;
import dev.holdfast.lock.spring.boot.ValkeyStandIn.JedisFactory;
import dev.holdfast.lock.spring.boot.ValkeyStandIn.LettuceFactory;
import dev.holdfast.lock.spring.boot.ValkeyStandIn.NamedNode;
import dev.holdfast.lock.spring.boot.ValkeyStandIn.ValkeySentinelConfiguration;
import dev.holdfast.lock.spring.boot.ValkeyStandIn.ValkeySocketConfiguration;
import dev.holdfast.lock.spring.boot.ValkeyStandIn.ValkeyStandaloneConfiguration;
import dev.holdfast.lock.spring.boot.ValkeyStandIn.ValkeyStaticMasterReplicaConfiguration;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisReplication;
import dev.holdfast.lock.testing.RedisSentinels;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.TlsRedis;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.valkey.springframework.data.valkey.connection.ValkeyConnectionFactory;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocketFactory;
import org.assertj.core.api.Assertions;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Where locks are in an application with Spring Data Valkey: never on a localhost that nobody has named. */
class ApplicationValkeyTest {

    private final RedisServer server = RedisServer.shared();

    static Stream<ValkeyConnectionFactory> factoriesOfOneServer() {
        Object configuration = standalone(RedisServer.shared().port());
        return Stream.of(glide(configuration), jedis(configuration), lettuce(configuration));
    }

    @ParameterizedTest
    @MethodSource("factoriesOfOneServer")
    void locksAreWhereTheValkeyFactoryLeads(ValkeyConnectionFactory factory) {
        with(factory).run(locksOn(server));
    }

    @Test
    void credentialsAndDatabaseAreThoseOfTheFactory() {
        try (RedisServer guarded = RedisServer.start("user shop on >secret +@all ~* &*")) {
            with(glide(new ValkeyStandaloneConfiguration("127.0.0.1", guarded.port(), 3, "shop", password("secret"))))
                    .run(context -> {
                        try (var lease = context.getBean(LockClient.class)
                                .getLock("in-three")
                                .acquire()) {
                            guarded.cli().select(3);
                            assertThat(guarded.cli().exists("in-three")).isOne();
                            assertThat(guarded.cli().clientList()).contains("user=shop");
                        }
                    });
        }
    }

    @Test
    void credentialsOfALettuceProviderCountMore() {
        try (RedisServer guarded =
                RedisServer.start("user shop on >secret +@all ~* &*", "user default on >other +@all ~* &*")) {
            var factory = new LettuceFactory(
                    standalone(guarded.port()),
                    lettuceClient(
                            false,
                            null,
                            configuration -> new StaticCredentialsProvider("shop", "secret".toCharArray())));
            with(factory).run(context -> {
                try (var lease =
                        context.getBean(LockClient.class).getLock("provided").acquire()) {
                    assertThat(lease.isHeld()).isTrue();
                }
            });
        }
    }

    @Test
    void sentinels() {
        try (RedisSentinels group = RedisSentinels.startWithoutFailover()) {
            Integer[] ports = group.sentinels().stream().map(RedisServer::port).toArray(Integer[]::new);
            with(jedis(new ValkeySentinelConfiguration(
                            new NamedNode(RedisSentinels.MASTER_NAME),
                            nodes(ports),
                            0,
                            null,
                            password(null),
                            null,
                            password(null))))
                    .run(locksOn(group.master()));
        }
    }

    @Test
    void cluster() {
        try (RedisCluster cluster = RedisCluster.start()) {
            Integer[] ports = cluster.uris().stream().map(RedisURI::getPort).toArray(Integer[]::new);
            with(glide(ValkeyStandIn.cluster(ports))).run(context -> {
                try (var lease = context.getBean(LockClient.class)
                        .getLock("in-a-cluster")
                        .acquire()) {
                    assertThat(cluster.masterOf("in-a-cluster").cli().exists("in-a-cluster"))
                            .isOne();
                }
            });
        }
    }

    @Test
    void masterAndReplicasByTheirAddresses() {
        try (RedisReplication group = RedisReplication.start(1)) {
            var nodes = List.of(
                    standalone(group.replicas().get(0).port()),
                    standalone(group.master().port()));
            with(lettuce(new ValkeyStaticMasterReplicaConfiguration(nodes, 0, null, password(null))))
                    .run(locksOn(group.master()));
        }
    }

    @Test
    void tlsWithTheOptionsOfLettuce() {
        try (TlsRedis tls = TlsRedis.start()) {
            ClientOptions options =
                    ClientOptions.builder().sslOptions(tls.sslOptions()).build();
            with(new LettuceFactory(localhost(tls.port()), lettuceClient(true, options, null)))
                    .run(locksOn(tls.server()));
        }
    }

    @Test
    void tlsWithAnSslBundle() {
        try (TlsRedis tls = TlsRedis.start()) {
            Object configuration = localhost(tls.port());
            var sockets = Optional.of((SSLSocketFactory) SSLSocketFactory.getDefault());
            for (ValkeyConnectionFactory factory : List.of(
                    new GlideFactory(configuration, new GlideClient(true, null)),
                    new JedisFactory(configuration, new JedisClient(true, sockets, Optional.empty())))) {
                with(factory)
                        .withPropertyValues(
                                "spring.data.valkey.ssl.bundle=valkey",
                                "spring.ssl.bundle.pem.valkey.truststore.certificate=file:" + tls.certificate())
                        .run(locksOn(tls.server()));
            }
        }
    }

    @Test
    void applicationWithoutSpringBootsRedisHasLocks() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, LockAutoConfiguration.class))
                .withBean(ValkeyConnectionFactory.class, () -> glide(standalone(server.port())))
                .run(locksOn(server));
    }

    static Stream<UnaryOperator<ApplicationContextRunner>> waysToNameARedis() {
        return Stream.of(
                application -> application.withPropertyValues("spring.data.redis.host=localhost"),
                application -> application.withPropertyValues("spring.data.redis.port=6379"),
                application -> application.withPropertyValues("spring.data.redis.url=redis://localhost:6379"),
                application -> application.withBean(RedisConnectionFactory.class, LettuceConnectionFactory::new),
                application ->
                        application.withBean(DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {
                            @Override
                            public Standalone getStandalone() {
                                return Standalone.of("localhost", 6379);
                            }
                        }));
    }

    @ParameterizedTest
    @MethodSource("waysToNameARedis")
    void redisOnLocalhostIsPreferredIfTheApplicationNamesIt(UnaryOperator<ApplicationContextRunner> named) {
        named.apply(with(unreadable()))
                .run(context -> assertThat(context.getBean(RedisSource.class)).isNotNull());
    }

    @Test
    void otherPropertiesDoNotSayWhereRedisIs() {
        with(glide(standalone(server.port())))
                .withPropertyValues("spring.data.redis.repositories.enabled=false", "spring.data.redis.timeout=3s")
                .run(locksOn(server));
    }

    @Test
    void redisOfAConfigurationBeanIsPreferred() {
        with(unreadable())
                .withBean(
                        RedisStandaloneConfiguration.class,
                        () -> new RedisStandaloneConfiguration("127.0.0.1", server.port()))
                .run(locksOn(server));
    }

    @Test
    void markedValkeyFactoryWinsOverAConfiguredRedis() {
        Contexts.context()
                .withUserConfiguration(MarkedValkey.class)
                .withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=1")
                .run(locksOn(server));
    }

    @Test
    void markedRedisFactoryWinsOverValkey() {
        with(unreadable()).withUserConfiguration(MarkedRedis.class).run(locksOn(server));
    }

    @Test
    void twoMarkedFactoriesAreRefused() {
        Contexts.context()
                .withUserConfiguration(MarkedValkey.class, MarkedRedis.class)
                .run(context -> assertThat(refusal(context).description())
                        .contains("2 connection factories are marked with @LockConnectionFactory"));
    }

    @Test
    void severalValkeyFactoriesOfWhichNoneIsPrimaryAreRefused() {
        with(unreadable())
                .withBean("other", ValkeyConnectionFactory.class, ApplicationValkeyTest::unreadable)
                .run(context -> assertThat(refusal(context).description())
                        .contains("2 beans of type ValkeyConnectionFactory and none is primary"));
    }

    static Stream<ValkeyConnectionFactory> unreadableFactories() {
        Object configuration = new ValkeyStandaloneConfiguration("127.0.0.1", 1, 0, "shop", password("sesame"));
        var sockets = Optional.of((SSLSocketFactory) SSLSocketFactory.getDefault());
        return Stream.of(
                unreadable(),
                glide(new ValkeySocketConfiguration("/run/valkey.sock")),
                new GlideFactory(configuration, new GlideClient(true, "IAM")),
                new JedisFactory(configuration, new JedisClient(true, sockets, Optional.empty())),
                new JedisFactory(configuration, new JedisClient(false, Optional.empty(), Optional.of("customizer"))));
    }

    @ParameterizedTest
    @MethodSource("unreadableFactories")
    void factoryThatCannotBeReadIsRefusedWithTheLinesThatHelp(ValkeyConnectionFactory factory) {
        with(factory).run(context -> {
            LockStartupException refusal = refusal(context);
            assertThat(refusal.description()).contains("ValkeyConnectionFactory", "cannot use");
            assertThat(refusal.action().lines().map(String::strip))
                    .contains(
                            "@Bean RedisSource lockSource() {",
                            "return RedisSource.of(\"rediss://user:password@host:6379\");",
                            "}");
            assertThat(refusal).hasMessageNotContaining("sesame");
        });
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void localhostThatNobodyNamedIsLoggedOnceOnACloudPlatform(CapturedOutput output) {
        Contexts.context()
                .withPropertyValues("spring.main.cloud-platform=kubernetes")
                .run(context -> assertThat(context.getBean(LockClient.class)).isNotNull());
        assertThat(output).containsOnlyOnce("Locks use localhost:6379").contains("KUBERNETES");
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring.data.redis.host=localhost", "spring.main.cloud-platform=none"})
    @ExtendWith(OutputCaptureExtension.class)
    void localhostIsNotLoggedIfItIsNamedOrThereIsNoPlatform(String property, CapturedOutput output) {
        Contexts.context()
                .withPropertyValues("spring.main.cloud-platform=kubernetes")
                .withPropertyValues(property)
                .run(context -> assertThat(context.getBean(LockClient.class)).isNotNull());
        assertThat(output).doesNotContain("Locks use localhost");
    }

    private static ApplicationContextRunner with(ValkeyConnectionFactory factory) {
        return Contexts.context().withBean("valkeyConnectionFactory", ValkeyConnectionFactory.class, () -> factory);
    }

    private static ValkeyConnectionFactory unreadable() {
        return new ValkeyConnectionFactory() {};
    }

    private static ValkeyStandaloneConfiguration localhost(int port) {
        return new ValkeyStandaloneConfiguration("localhost", port, 0, null, password(null));
    }

    private static ContextConsumer<AssertableApplicationContext> locksOn(RedisServer server) {
        return context -> assertThat(Contexts.locksOn(server, context.getBean(LockClient.class)))
                .isTrue();
    }

    private static LockStartupException refusal(ApplicationContext context) {
        Throwable failure = Assertions.catchThrowable(() -> context.getBean(LockClient.class));
        return (LockStartupException) Throwables.getRootCause(failure);
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedValkey {
        @Bean
        @LockConnectionFactory
        ValkeyConnectionFactory valkey() {
            return glide(standalone(RedisServer.shared().port()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedRedis {
        @Bean
        @LockConnectionFactory
        RedisConnectionFactory redis() {
            return new LettuceConnectionFactory(
                    "127.0.0.1", RedisServer.shared().port());
        }
    }
}

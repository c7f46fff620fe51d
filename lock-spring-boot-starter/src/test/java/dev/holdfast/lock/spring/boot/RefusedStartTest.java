package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.boot.actuate.LockHealthContributorAutoConfiguration;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.fixture.Variables;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What start-up refuses, as the developer sees it: what is wrong, and what to do. */
class RefusedStartTest {

    @Test
    void factoryOfAnotherClient() {
        withLock()
                .withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
                .run(refused("RedisConnectionFactory is a", "Use a LettuceConnectionFactory", "RedisSource"));
    }

    private static ApplicationContextRunner withLock() {
        return Contexts.context()
                .withConfiguration(
                        AutoConfigurations.of(AopAutoConfiguration.class, LockInterceptorAutoConfiguration.class))
                .withBean(Report.class);
    }

    static class Report {
        @DistributedLock(name = "report")
        public void write() {}
    }

    @Test
    void severalFactoriesOfWhichNoneIsPrimary() {
        withLock()
                .withBean("one", LettuceConnectionFactory.class)
                .withBean("other", LettuceConnectionFactory.class)
                .run(refused(
                        "2 beans of type RedisConnectionFactory and none is primary",
                        "@LockConnectionFactory",
                        "@Primary",
                        "RedisSource"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"flase", "enabled", "2"})
    void switchThatIsNeitherTrueNorFalse(String value) {
        Contexts.locked(RedisServer.shared())
                .withPropertyValues("holdfast.enabled=" + value)
                .run(context -> assertThat(analysis(context).getDescription()).contains("holdfast.enabled", value));
    }

    @Test
    void severalFactoriesOfWhichOneIsPrimaryAreFine() {
        RedisServer server = RedisServer.shared();
        Contexts.context()
                .withBean(
                        "one",
                        LettuceConnectionFactory.class,
                        () -> new LettuceConnectionFactory("127.0.0.1", server.port()),
                        definition -> definition.setPrimary(true))
                .withBean("other", LettuceConnectionFactory.class)
                .run(context -> assertThat(
                                Contexts.locksOn(server, context.getBean(dev.holdfast.lock.LockClient.class)))
                        .isTrue());
    }

    @Test
    void redisIsDownAndTheStartInsistsOnIt() {
        try (RedisServer server = RedisServer.start()) {
            server.kill();
            Contexts.on(server)
                    .withPropertyValues(
                            "holdfast.fail-fast=true",
                            "spring.data.redis.username=watchman",
                            "spring.data.redis.password=sesame")
                    .run(context -> {
                        FailureAnalysis analysis = analysis(context);
                        assertThat(analysis.getDescription())
                                .contains(
                                        "Redis did not reply within 5 s",
                                        "127.0.0.1:" + server.port(),
                                        "Connection refused");
                        assertThat(analysis.getAction()).contains("holdfast.fail-fast");
                        assertThat(context.getStartupFailure())
                                .hasStackTraceContaining("LockStartupException")
                                .satisfies(failure -> assertThat(Throwables.getStackTrace(failure))
                                        .doesNotContain("watchman", "sesame"));
                    });
        }
    }

    @Test
    void redisRefusesLocksAndTheStartInsistsOnIt() {
        try (RedisServer server = RedisServer.start("user weak on >secret +@all -eval -evalsha ~* &*")) {
            Contexts.on(server)
                    .withPropertyValues(
                            "holdfast.fail-fast=true",
                            "spring.data.redis.username=weak",
                            "spring.data.redis.password=secret")
                    .run(context -> assertThat(analysis(context).getDescription())
                            .contains("Locks cannot work on this Redis")
                            .contains("NOPERM"));
        }
    }

    @Test
    void redisRefusesThePasswordAndTheStartInsistsOnIt() {
        try (RedisServer server = RedisServer.start("user shop on >secret +@all ~* &*")) {
            Contexts.on(server)
                    .withPropertyValues(
                            "holdfast.fail-fast=true",
                            "spring.data.redis.username=shop",
                            "spring.data.redis.password=wrong")
                    .run(context -> {
                        FailureAnalysis analysis = analysis(context);
                        assertThat(analysis.getDescription())
                                .startsWith("Locks cannot work on this Redis: ")
                                .containsOnlyOnce("WRONGPASS")
                                .contains("check user name and password")
                                .doesNotContain("did not reply");
                        assertThat(analysis.getAction())
                                .startsWith("Check the Redis server at the address in spring.data.redis.*.")
                                .doesNotContain("WRONGPASS");
                    });
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "holdfast.wait-time",
                "holdfast.watchdog-timeout",
                "holdfast.shutdown-grace",
                "holdfast.locks.report.max-hold",
                "management.health.holdfast.timeout",
                "management.health.holdfast.loss-window"
            })
    void durationWithoutAUnit(String property) {
        ApplicationContextRunner application = Contexts.on(RedisServer.shared())
                .withConfiguration(AutoConfigurations.of(LockHealthContributorAutoConfiguration.class));
        for (String value : List.of("30", "${some.number:30}")) {
            application.withPropertyValues(property + "=" + value).run(context -> {
                FailureAnalysis analysis = analysis(context);
                assertThat(analysis.getDescription()).contains(property, "'30' has no unit");
                assertThat(analysis.getAction()).contains("5s").doesNotContain("'30'");
            });
        }
    }

    @Test
    void zeroNeedsNoUnit() {
        Contexts.on(RedisServer.shared())
                .withPropertyValues("holdfast.shutdown-grace=0", "holdfast.locks.report.wait-time=0")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"wait-tme", "enable", "wait.tme", "waitTmie"})
    void settingThatNoLockHas(String setting) {
        Contexts.on(RedisServer.shared())
                .withPropertyValues("holdfast.locks.report." + setting + "=5s")
                .run(context -> {
                    FailureAnalysis analysis = analysis(context);
                    assertThat(analysis.getDescription())
                            .contains("holdfast.locks.report.", "is not a setting of a lock");
                    assertThat(analysis.getAction())
                            .startsWith("A lock has these settings: "
                                    + String.join(", ", new TreeSet<>(ConfigurationMetadataTest.keysOfLock())) + ".");
                });
    }

    @Test
    void settingsOfALockMayBeWrittenAsAnEnvironmentVariableWritesThem() {
        Contexts.on(RedisServer.shared())
                .withInitializer(Variables.of(Map.of(
                        "HOLDFAST_LOCKS_REPORT_WAITTIME", "5s",
                        "HOLDFAST_LOCKS_OTHER_WAIT_TIME", "6s",
                        "HOLDFAST_LOCKS_OTHER_BYPASS", "on")))
                .withPropertyValues(
                        "holdfast.locks[com.acme.Jobs.run()].wait-time=7s", "holdfast.locks.third.onBusy=skip")
                .run(context -> {
                    LockSettings.Source settings = context.getBean(LockSettings.Source.class);
                    assertThat(settings.named("report").waitTime()).isEqualTo(Duration.ofSeconds(5));
                    assertThat(settings.named("other").bypass()).isTrue();
                    assertThat(settings.named("com.acme.Jobs.run()").waitTime()).isEqualTo(Duration.ofSeconds(7));
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "holdfast.key-prefix=${no.such.property}: | holdfast.key-prefix | a placeholder that is not defined",
                "holdfast.key-prefix={shop | holdfast.key-prefix | no lock can be named",
                "holdfast.watchdog-timeout=2ms | holdfast.watchdog-timeout | at least 10 ms, was 2 ms",
                "holdfast.failover-grace=44s | holdfast.failover-grace | one and a half times holdfast.watchdog-timeout, was 44 s",
                "holdfast.locks.job.lease-time=25h | holdfast.locks.job.lease-time | at most 24 h, was 25 h",
                "holdfast.min-hold=2m | holdfast.min-hold | longer than holdfast.max-hold, which is 1 min",
                "holdfast.on-busy=explode | holdfast.on-busy | explode"
            })
    void valueThatCannotWork(String property, String named, String problem) {
        refusedProperty(property, named, problem);
    }

    @Test
    void clientNameThatIsTooLong() {
        refusedProperty(
                "holdfast.client-name=" + "x".repeat(201), "holdfast.client-name", "1 to 200 bytes of UTF-8, was 201");
    }

    private static void refusedProperty(String property, String... description) {
        StandardEnvironment environment = new StandardEnvironment();
        TestPropertyValues.of(property).applyTo(environment);
        Contexts.on(RedisServer.shared())
                .withPropertyValues("holdfast.max-hold=1m", property)
                .run(context -> assertThat(analysis(context, environment).getDescription())
                        .contains(description));
    }

    @Test
    void serviceOfKubernetesIsNoSetting() {
        Map<String, Object> links = Map.of(
                "HOLDFAST_LOCKS_SERVICE_HOST", "10.0.0.1",
                "HOLDFAST_LOCKS_SERVICE_PORT", "6379",
                "HOLDFAST_LOCKS_SERVICE_PORT_REDIS", "6379",
                "HOLDFAST_LOCKS_PORT", "tcp://10.0.0.1:6379",
                "HOLDFAST_LOCKS_PORT_6379_TCP", "tcp://10.0.0.1:6379",
                "HOLDFAST_LOCKS_PORT_6379_TCP_PROTO", "tcp",
                "HOLDFAST_LOCKS_PORT_6379_TCP_PORT", "6379",
                "HOLDFAST_LOCKS_PORT_6379_TCP_ADDR", "10.0.0.1",
                "HOLDFAST_LOCKS_REPORT_BYPASS", "true",
                "HOLDFAST_PORT", "tcp://10.0.0.2:80");
        Contexts.on(RedisServer.shared()).withInitializer(Variables.of(links)).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(LockProperties.class).locks()).containsOnlyKeys("report");
        });
    }

    @Test
    void lockMayBeCalledAsAServiceLinkEnds() {
        Contexts.on(RedisServer.shared())
                .withInitializer(Variables.of(Map.of("HOLDFAST_LOCKS_PORT", "tcp://10.0.0.1:6379")))
                .withPropertyValues("holdfast.locks.port.bypass=true")
                .run(context -> assertThat(
                                context.getBean(LockSettings.Source.class).named("port"))
                        .extracting(LockSettings::bypass)
                        .isEqualTo(true));
    }

    @Test
    void valueWhereALockHasSettings() {
        Contexts.on(RedisServer.shared())
                .withPropertyValues("holdfast.locks.order=false")
                .run(refused("holdfast.locks.order has a value", "holdfast.locks.order.wait-time=5s"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"holdfast.watchdog-timout=40s", "holdfast.lock.order.enabled=false", "holdfast.waittimes=3s"})
    void misspelledSetting(String property) {
        Contexts.on(RedisServer.shared()).withPropertyValues(property).run(context -> {
            FailureAnalysis analysis = analysis(context);
            assertThat(analysis.getDescription())
                    .contains(property.substring(0, property.indexOf('=')), "is not a setting of Holdfast");
            assertThat(analysis.getAction()).contains("watchdog-timeout");
        });
    }

    /** An application that is not fenced must not start. */
    @Test
    void settingOfAModuleThatIsMissing() {
        Contexts.on(RedisServer.shared())
                .withPropertyValues("holdfast.fence-data-sources[0]=ledger")
                .run(refused("holdfast.fence-data-sources is a setting of lock-fencing", "dev.holdfast:lock-fencing"));
        Contexts.on(RedisServer.shared())
                .withInitializer(Variables.of(Map.of("HOLDFAST_FENCE_TABLE", "holdfast_fence")))
                .run(refused("holdfast.fence-table is a setting of lock-fencing", "dev.holdfast:lock-fencing"));
    }

    @Test
    void settingsOfOtherModulesAreKnown() {
        Contexts.on(RedisServer.shared())
                .withPropertyValues(
                        "holdfast.web.problem-details=false",
                        "holdfast.shedlock.renew=true",
                        "holdfast.integration.registry-key=a",
                        "holdfast.test.in-memory=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static ContextConsumer<AssertableApplicationContext> refused(String description, String... action) {
        return context -> {
            FailureAnalysis analysis = analysis(context);
            assertThat(analysis.getDescription()).contains(description);
            assertThat(analysis.getAction()).contains(action);
        };
    }

    private static FailureAnalysis analysis(AssertableApplicationContext context) {
        return analysis(context, new StandardEnvironment());
    }

    /** What Spring Boot would print. */
    static FailureAnalysis analysis(AssertableApplicationContext context, Environment environment) {
        assertThat(context).hasFailed();
        ArgumentResolver arguments = ArgumentResolver.of(BeanFactory.class, new DefaultListableBeanFactory())
                .and(Environment.class, environment);
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, arguments, FailureHandler.handleMessage((message, failure) -> {}))
                .stream()
                .map(analyzer -> analyzer.analyze(context.getStartupFailure()))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError("Nobody explains it", context.getStartupFailure()));
    }
}

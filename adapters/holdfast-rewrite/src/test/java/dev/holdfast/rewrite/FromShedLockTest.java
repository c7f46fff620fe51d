package dev.holdfast.rewrite;

import static org.openrewrite.groovy.Assertions.groovy;
import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.java.Assertions.srcTestJava;
import static org.openrewrite.properties.Assertions.properties;
import static org.openrewrite.xml.Assertions.xml;
import static org.openrewrite.yaml.Assertions.yaml;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.test.SourceSpecs;

class FromShedLockTest extends Migration {

    private static final String AT_MOST = "@SchedulerLock(name = \"report\", lockAtMostFor = \"30m\")";
    private static final String AT_LEAST =
            "@SchedulerLock(name = \"report\", lockAtMostFor = \"30m\", lockAtLeastFor = \"1m\")";
    private static final String MOVED = skipping("leaseTime = \"30m\"");
    private static final String RUN = "public void run() {}";

    FromShedLockTest() {
        super(new FromShedLock(null, null));
    }

    /** A job whose annotation and body vary. */
    private static String job(String imports, String lock, String method) {
        return """
                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
                %simport org.springframework.scheduling.annotation.Scheduled;
                import org.springframework.stereotype.Component;

                @Component
                class Report {

                    @Scheduled(cron = "0 0 3 * * *")
                    %s
                    %s
                }
                """.formatted(imports, lock, method);
    }

    private static String moved(String imports, String lock, String method) {
        return """
                import dev.holdfast.lock.spring.DistributedLock;
                %simport dev.holdfast.lock.spring.OnBusy;
                import dev.holdfast.lock.spring.OnLost;
                import org.springframework.scheduling.annotation.Scheduled;
                import org.springframework.stereotype.Component;

                @Component
                class Report {

                    @Scheduled(cron = "0 0 3 * * *")
                    %s
                    %s
                }
                """.formatted(imports, lock, method);
    }

    private static String skipping(String lengths) {
        return "@DistributedLock(name = \"report\", " + lengths + ", onBusy = OnBusy.SKIP, onLost = OnLost.REPORT)";
    }

    private static SourceSpecs moves(String lock, String movedLock) {
        return java(job("", lock, RUN), moved("", movedLock, RUN));
    }

    private static SourceSpecs stays(Note note, String lock) {
        return stays(note, lock, RUN);
    }

    private static SourceSpecs stays(Note note, String lock, String method) {
        String before = job("", lock, method);
        return java(before, before.replace("    @Scheduled(", "    " + note.line() + "\n    @Scheduled("));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            lockAtMostFor = "30m"                          | leaseTime = "30m"
            lockAtMostFor = "PT30M"                        | leaseTime = "PT30M"
            lockAtMostFor = "5000"                         | leaseTime = "5000ms"
            lockAtMostFor = "15S"                          | leaseTime = "15S"
            lockAtMostFor = "${report.most}"               | leaseTime = "${report.most}"
            lockAtMostFor = "30m", lockAtLeastFor = "1m"   | leaseTime = "30m", minHold = "1m"
            lockAtMostFor = "30m", lockAtLeastFor = "PT0S" | leaseTime = "30m"
            """)
    void lengthsBecomeThoseOfHoldfast(String lengths, String moved) {
        rewriteRun(moves("@SchedulerLock(name = \"report\", " + lengths + ")", skipping(moved)));
    }

    @Test
    void atMostBecomesTheWatchdogOnRequest() {
        rewriteRun(
                spec -> spec.recipe(new FromShedLock("watchdog", null)),
                java(
                        job("", AT_MOST, RUN),
                        moved("", "@DistributedLock(name = \"report\", onBusy = OnBusy.SKIP)", RUN)
                                .replace("import dev.holdfast.lock.spring.OnLost;\n", "")));
    }

    @Test
    void atLeastBecomesOncePerTickOnRequest() {
        rewriteRun(
                spec -> spec.recipe(new FromShedLock(null, "oncePerTick")),
                java(
                        job("", AT_LEAST, RUN),
                        moved("", "@OncePerTick(name = \"report\", leaseTime = \"30m\", onLost = OnLost.REPORT)", RUN)
                                .replace("import dev.holdfast.lock.spring.DistributedLock;\n", "")
                                .replace("import dev.holdfast.lock.spring.OnBusy;\n", "")
                                .replace("OnLost;\n", "OnLost;\nimport dev.holdfast.lock.spring.OncePerTick;\n")));
    }

    @Test
    void scheduleOfDelaysHasNoTicks() {
        rewriteRun(
                spec -> spec.recipe(new FromShedLock(null, "oncePerTick")),
                java(
                        job("", AT_LEAST, RUN).replace("cron = \"0 0 3 * * *\"", "fixedDelay = 1000"),
                        moved("", skipping("leaseTime = \"30m\", minHold = \"1m\""), RUN)
                                .replace("cron = \"0 0 3 * * *\"", "fixedDelay = 1000")));
    }

    @Test
    void layoutOfTheAnnotationIsKept() {
        rewriteRun(
                moves(
                        "@SchedulerLock(\n            name = \"report\",\n            lockAtLeastFor = \"PT4H\", lockAtMostFor = \"PT4H\"\n    ) // at night",
                        "@DistributedLock(\n            name = \"report\",\n            leaseTime = \"PT4H\", minHold = \"PT4H\", onBusy = OnBusy.SKIP, onLost = OnLost.REPORT\n    ) // at night"));
    }

    @Test
    void defaultOfAllJobsIsWrittenAtTheJob() {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(2),
                java("""
                        import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
                        import org.springframework.context.annotation.Configuration;
                        import org.springframework.scheduling.annotation.EnableScheduling;

                        @Configuration
                        @EnableScheduling
                        @EnableSchedulerLock(defaultLockAtMostFor = "10m", defaultLockAtLeastFor = "5s")
                        class Scheduling {}
                        """, """
                        import org.springframework.context.annotation.Configuration;
                        import org.springframework.scheduling.annotation.EnableScheduling;

                        @Configuration
                        @EnableScheduling
                        class Scheduling {}
                        """),
                moves("@SchedulerLock(name = \"report\")", skipping("leaseTime = \"10m\", minHold = \"5s\"")));
    }

    @Test
    void assertionBecomesTheContext() {
        rewriteRun(java(
                job(
                        "import net.javacrumbs.shedlock.core.LockAssert;\n",
                        AT_MOST,
                        "public void run() {\n        LockAssert.assertLocked();\n    }"),
                moved(
                        "import dev.holdfast.lock.spring.LockContext;\n",
                        MOVED,
                        "public void run() {\n        LockContext.current();\n    }")));
    }

    @Test
    void extensionBecomesOneOfTheLease() {
        rewriteRun(java(
                job("import java.time.Duration;\nimport net.javacrumbs.shedlock.core.LockExtender;\n", AT_MOST, """
                        public void run() {
                                LockExtender.extendActiveLock(Duration.ofMinutes(5), Duration.ZERO);
                                LockExtender.extendActiveLock(Duration.ofMinutes(5), Duration.ofMinutes(1));
                            }"""),
                moved("import dev.holdfast.lock.spring.LockContext;\n", MOVED, """
                        public void run() {
                                LockContext.current().extend(Duration.ofMinutes(5));
                                LockContext.current().extend(Duration.ofMinutes(5));
                                LockContext.current().minHold(Duration.ofMinutes(1));
                            }""")
                        .replaceFirst("^", "import java.time.Duration;\n\n")));
    }

    @ParameterizedTest
    @CsvSource({
        "report-#{#p0}, 30m, SPEL",
        "report, 25h, LENGTH",
        "report, 5ms, LENGTH",
        "report, '', NO_AT_MOST",
    })
    void jobOfAnotherMeaningStaysWithAComment(String name, String atMost, Note note) {
        rewriteRun(stays(note, "@SchedulerLock(name = \"" + name + "\", lockAtMostFor = \"" + atMost + "\")"));
    }

    @Test
    void jobWithAProviderOfItsOwnStays() {
        rewriteRun(
                stays(
                        Note.OTHER_PROVIDER,
                        "@net.javacrumbs.shedlock.spring.annotation.LockProviderToUse(\"reports\")\n    @SchedulerLock(name = \"report\", lockAtMostFor = \"30m\")"));
    }

    @Test
    void methodWithAResultThatWouldBeEmptyStays() {
        rewriteRun(stays(
                Note.RESULT,
                AT_MOST,
                "public java.util.List<String> run() {\n        return java.util.List.of();\n    }"));
    }

    @Test
    void methodThatItsClassCallsStays() {
        rewriteRun(stays(
                Note.SELF_CALL, AT_MOST, "public void run() {}\n\n    public void now() {\n        run();\n    }"));
    }

    @Test
    void methodThatCatchesAFailedExtensionStays() {
        rewriteRun(stays(Note.EXTENDER, AT_MOST, """
                public void run() {
                        try {
                            net.javacrumbs.shedlock.core.LockExtender.extendActiveLock(java.time.Duration.ofMinutes(5), java.time.Duration.ZERO);
                        } catch (net.javacrumbs.shedlock.core.LockExtender.NoActiveLockException e) {
                            throw e;
                        }
                    }"""));
    }

    @Test
    void jobsStayWhereOnlyTheSchedulerLocks() {
        rewriteRun(java("""
                        import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;

                        @EnableSchedulerLock(defaultLockAtMostFor = "10m", interceptMode = EnableSchedulerLock.InterceptMode.PROXY_SCHEDULER)
                        class Scheduling {}
                        """), stays(Note.SCHEDULER_MODE, AT_MOST));
    }

    @Test
    void annotationWithTheAnnotationStays() {
        String before = """
                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                @SchedulerLock(name = "report", lockAtMostFor = "30m")
                @interface Nightly {}
                """;
        rewriteRun(java(before, before.replace("@SchedulerLock(", Note.META.line() + "\n@SchedulerLock(")));
    }

    @Test
    void providerOfARedisIsRemovedWithTheLastJob() {
        String project = """
                <project>
                  <properties>
                    <java.version>21</java.version>%s
                  </properties>
                """;
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(2),
                java("""
                        import net.javacrumbs.shedlock.core.LockProvider;
                        import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
                        import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
                        import org.springframework.context.annotation.Bean;
                        import org.springframework.context.annotation.Configuration;
                        import org.springframework.data.redis.connection.RedisConnectionFactory;

                        @Configuration
                        @EnableSchedulerLock(defaultLockAtMostFor = "10m")
                        public class Scheduling {

                            @Bean
                            public LockProvider lockProvider(RedisConnectionFactory connectionFactory) {
                                return new RedisLockProvider(connectionFactory, "test");
                            }
                        }
                        """, """
                        import org.springframework.context.annotation.Configuration;

                        %s
                        @Configuration
                        public class Scheduling {
                        }
                        """.formatted(Note.NAMES.line())),
                moves("@SchedulerLock(name = \"report\")", skipping("leaseTime = \"10m\"")),
                xml(
                        pom(List.of(
                                        "net.javacrumbs.shedlock:shedlock-spring:${shedlock.version}",
                                        "net.javacrumbs.shedlock:shedlock-provider-redis-spring:${shedlock.version}"))
                                .replace(
                                        "<project>\n",
                                        project.formatted("\n    <shedlock.version>7.7.0</shedlock.version>")),
                        pom(List.of(STARTER)).replace("<project>\n", project.formatted("")),
                        spec -> spec.path("pom.xml")),
                properties(
                        "logging.level.net.javacrumbs.shedlock=DEBUG",
                        "logging.level.dev.holdfast.lock=DEBUG",
                        spec -> spec.path("src/main/resources/application.properties")),
                yaml("""
                        logging:
                          level:
                            net.javacrumbs.shedlock: DEBUG
                        """, """
                        logging:
                          level:
                            dev.holdfast.lock: DEBUG
                        """, spec -> spec.path("src/main/resources/application.yml")));
    }

    @Test
    void executorGoesOnUnderTheAdapter() {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(2),
                java("""
                        import javax.sql.DataSource;
                        import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
                        import net.javacrumbs.shedlock.core.LockProvider;
                        import net.javacrumbs.shedlock.core.LockingTaskExecutor;
                        import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
                        import org.springframework.context.annotation.Bean;
                        import org.springframework.context.annotation.Configuration;
                        import org.springframework.jdbc.core.JdbcTemplate;

                        @Configuration
                        class Scheduling {

                            @Bean
                            JdbcTemplateLockProvider lockProvider(final DataSource dataSource) {
                                String table = "shedlock";
                                return new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                                        .withJdbcTemplate(new JdbcTemplate(dataSource))
                                        .usingDbTime()
                                        .withTableName(table)
                                        .build());
                            }

                            @Bean
                            LockingTaskExecutor executor(LockProvider lockProvider) {
                                return new DefaultLockingTaskExecutor(lockProvider);
                            }
                        }
                        """, """
                        import dev.holdfast.lock.LockClient;
                        import dev.holdfast.lock.shedlock.HoldfastLockProvider;
                        import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
                        import net.javacrumbs.shedlock.core.LockProvider;
                        import net.javacrumbs.shedlock.core.LockingTaskExecutor;
                        import org.springframework.context.annotation.Bean;
                        import org.springframework.context.annotation.Configuration;

                        @Configuration
                        class Scheduling {

                            %s
                            @Bean
                            LockProvider lockProvider(LockClient lockClient) {
                                String table = "shedlock";
                                return new HoldfastLockProvider(lockClient);
                            }

                            @Bean
                            LockingTaskExecutor executor(LockProvider lockProvider) {
                                return new DefaultLockingTaskExecutor(lockProvider);
                            }
                        }
                        """.formatted(Note.NAMES.line())),
                java("""
                        import java.time.Duration;
                        import java.time.Instant;
                        import net.javacrumbs.shedlock.core.LockConfiguration;
                        import net.javacrumbs.shedlock.core.LockingTaskExecutor;

                        class Cleanup {

                            void run(LockingTaskExecutor executor, Runnable work) {
                                executor.executeWithLock(work, new LockConfiguration(Instant.now(), "cleanup", Duration.ofMinutes(1), Duration.ZERO));
                            }
                        }
                        """, """
                        import java.time.Duration;
                        import java.time.Instant;
                        import net.javacrumbs.shedlock.core.LockConfiguration;
                        import net.javacrumbs.shedlock.core.LockingTaskExecutor;

                        class Cleanup {

                            %s
                            void run(LockingTaskExecutor executor, Runnable work) {
                                executor.executeWithLock(work, new LockConfiguration(Instant.now(), "cleanup", Duration.ofMinutes(1), Duration.ZERO));
                            }
                        }
                        """.formatted(Note.EXECUTOR.line())),
                groovy("""
                        dependencies {
                          implementation 'net.javacrumbs.shedlock:shedlock-spring:6.10.0'
                          implementation "net.javacrumbs.shedlock:shedlock-provider-jdbc-template:6.10.0"
                          testImplementation 'org.junit.jupiter:junit-jupiter:6.0.0'
                        }
                        """, """
                        dependencies {
                          implementation 'net.javacrumbs.shedlock:shedlock-spring:6.10.0'
                          implementation "dev.holdfast:lock-spring-boot-starter:%1$s"
                          implementation "dev.holdfast:lock-shedlock:%1$s"
                          testImplementation 'org.junit.jupiter:junit-jupiter:6.0.0'
                        }
                        """.formatted(HoldfastVersion.get()), spec -> spec.path("build.gradle")));
    }

    @Test
    void noJobMovesWhileAProviderIsNoBean() {
        String provider = """
                import net.javacrumbs.shedlock.core.LockProvider;
                import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
                import org.springframework.data.redis.connection.RedisConnectionFactory;

                class Providers {

                    static LockProvider of(RedisConnectionFactory connectionFactory) {
                        return new RedisLockProvider(connectionFactory);
                    }
                }
                """;
        rewriteRun(
                java(provider, provider.replace("class Providers", Note.PROVIDER.line() + "\nclass Providers")),
                java(job("", AT_MOST, RUN)));
    }

    @Test
    void testThatFakesAnAssertionIsMarked() {
        String before = """
                import net.javacrumbs.shedlock.core.LockAssert;

                class ReportTest {

                    void before() {
                        LockAssert.TestHelper.makeAllAssertsPass(true);
                    }
                }
                """;
        rewriteRun(srcTestJava(java(
                before,
                before.replace("    void before()", "    " + Note.TEST_ASSERTION.line() + "\n    void before()"))));
    }

    /** The provider comes from elsewhere, such as a library of the team. */
    @Test
    void buildWithTheAnnotationAloneGetsTheStarter() {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(2),
                moves(AT_MOST, MOVED),
                pom(List.of("net.javacrumbs.shedlock:shedlock-spring:7.10.1"), List.of(STARTER)));
    }

    @Test
    void buildWithoutADependencyOnShedLockStaysAsItIs() {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(0),
                xml(pom(List.of("org.example:other:1.0")), spec -> spec.path("pom.xml")));
    }
}

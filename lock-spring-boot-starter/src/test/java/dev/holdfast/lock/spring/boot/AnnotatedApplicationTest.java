package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.fixture.FreeLocks;
import dev.holdfast.lock.testing.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.StandardEnvironment;

/** An application with annotated methods: what the auto-configuration and the properties make of them. */
@ExtendWith(OutputCaptureExtension.class)
class AnnotatedApplicationTest {

    private final RedisServer server = RedisServer.shared();

    /** Spring Boot's configuration of AOP, which is not here, would register the proxy creator. A final class cannot do without a proxy. */
    @Test
    void beanThatNeedsAProxyIsLockedThoughSpringAopIsOff() {
        application()
                .withBean(Mail.class, FinalMail::new)
                .run(context -> assertThat(context.getBean(Mail.class).send()).isTrue());
    }

    interface Mail {

        boolean send();
    }

    static final class FinalMail implements Mail {

        @Override
        @DistributedLock(name = "mail")
        public boolean send() {
            return Jobs.isLocked();
        }
    }

    @Test
    void bypassOfOneLockLeavesTheOthers() {
        application().withPropertyValues("holdfast.locks.report.bypass=true").run(context -> {
            assertThat(context.getBean(Jobs.class).report()).isFalse();
            assertThat(context.getBean(Jobs.class).cleanUp()).isTrue();
        });
    }

    @Test
    void killSwitchOfAllRunsMethodsWithoutLocksAndSaysSo(CapturedOutput output) {
        application()
                .withPropertyValues("holdfast.enabled=false", "spring.data.redis.port=1")
                .run(context -> {
                    assertThat(context.getBean(Jobs.class).report()).isFalse();
                    assertThat(output.toString().lines().filter(line -> line.contains("holdfast.enabled is false")))
                            .singleElement()
                            .asString()
                            .contains("WARN", "Jobs.report()", "Jobs.cleanUp()");
                });
    }

    @Test
    void settingsOfAnUnknownLockEndTheStart() {
        application().withPropertyValues("holdfast.locks.raport.bypass=true").run(context -> {
            FailureAnalysis analysis = RefusedStartTest.analysis(context, new StandardEnvironment());
            assertThat(analysis.getDescription()).contains("holdfast.locks.raport", "Declared names: clean-up, report");
            assertThat(analysis.getAction()).contains("Correct the name");
        });
    }

    @Test
    void locksThatTheConfigurationCannotTellApartEndTheStart() {
        application().withBean(SameInConfiguration.class).run(context -> {
            FailureAnalysis analysis = RefusedStartTest.analysis(context, new StandardEnvironment());
            assertThat(analysis.getDescription())
                    .contains(
                            "'clean-up'",
                            "'cleanUp'",
                            "SameInConfiguration.cleanUp()",
                            "one name in the configuration");
            assertThat(analysis.getAction()).isEqualTo("Rename one of them.");
        });
    }

    @ParameterizedTest
    @CsvSource({"0, no bean of type LockClient", "2, 2 beans of type LockClient"})
    void locksThatNoClientOrNoneOfSeveralTakesEndTheStart(int clients, String problem) {
        ApplicationContextRunner application = new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class))
                .withBean(Jobs.class);
        for (int i = 0; i < clients; i++) {
            application = application.withBean("client-" + i, LockClient.class, FreeLocks::client);
        }
        application.run(context -> assertThat(RefusedStartTest.analysis(context, new StandardEnvironment())
                        .getDescription())
                .contains("clean-up, report", problem));
    }

    @Test
    void orderComesFromTheProperties() {
        application()
                .withPropertyValues("holdfast.order=7")
                .run(context -> assertThat(order(context)).isEqualTo(7));
    }

    private static int order(ApplicationContext context) {
        return context.getBean("holdfastAdvisor", Ordered.class).getOrder();
    }

    @Test
    void everyBeanIsSeenByAllPostProcessors(CapturedOutput output) {
        application().run(context -> assertThat(output).doesNotContain("is not eligible for getting processed"));
    }

    private ApplicationContextRunner application() {
        return Contexts.on(server)
                .withConfiguration(AutoConfigurations.of(LockInterceptorAutoConfiguration.class))
                .withBean(Jobs.class);
    }

    static class Jobs {

        @DistributedLock(name = "report")
        public boolean report() {
            return isLocked();
        }

        @DistributedLock(name = "clean-up")
        public boolean cleanUp() {
            return isLocked();
        }

        private static boolean isLocked() {
            return LockContext.find().isPresent();
        }
    }

    static class SameInConfiguration {

        @DistributedLock(name = "cleanUp")
        public void cleanUp() {}
    }
}

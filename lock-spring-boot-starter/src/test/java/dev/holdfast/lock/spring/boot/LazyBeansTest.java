package dev.holdfast.lock.spring.boot;

import static dev.holdfast.lock.spring.fixture.Locked.lock;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.testing.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application whose beans are created when they are needed. */
@ExtendWith(OutputCaptureExtension.class)
class LazyBeansTest {

    @Test
    void lazyBeanOfAnInterfaceTypeIsLockedAndItsSettingsApply(CapturedOutput output) {
        application().withPropertyValues("holdfast.locks.report.wait-time=1s").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Job.class).run()).isEqualTo("report");
            assertThat(output.toString().lines().filter(line -> line.contains("holdfast.locks.report")))
                    .singleElement()
                    .asString()
                    .contains("WARN", "may declare them: job");
        });
    }

    @Test
    void killSwitchOfALazyBeanOfAnInterfaceTypeWorks() {
        application()
                .withPropertyValues("holdfast.locks.report.bypass=true")
                .run(context -> assertThat(context.getBean(Job.class).run()).isEqualTo("none"));
    }

    private static ApplicationContextRunner application() {
        return Contexts.on(RedisServer.shared())
                .withConfiguration(AutoConfigurations.of(LockInterceptorAutoConfiguration.class))
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withUserConfiguration(Jobs.class);
    }

    interface Job {

        String run();
    }

    static class Report implements Job {

        @Override
        @DistributedLock(name = "report")
        public String run() {
            return lock();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Jobs {

        @Bean
        Job job() {
            return new Report();
        }
    }
}

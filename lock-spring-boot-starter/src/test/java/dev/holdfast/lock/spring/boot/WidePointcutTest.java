package dev.holdfast.lock.spring.boot;

import static dev.holdfast.lock.spring.fixture.Locked.lock;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.boot.actuate.LockEndpointsAutoConfiguration;
import dev.holdfast.lock.spring.boot.actuate.LockHealthContributorAutoConfiguration;
import dev.holdfast.lock.spring.boot.actuate.LockMeterAutoConfiguration;
import dev.holdfast.lock.testing.RedisServer;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Advisors and proxy creators of an application that would take every bean there is. */
class WidePointcutTest {

    /** Spring Boot's own configuration classes are final. */
    private static final Pointcut EVERYTHING_BUT_SPRING =
            new ComposablePointcut((ClassFilter) type -> !type.getName().startsWith("org.springframework."));

    private final ApplicationContextRunner application = Contexts.locked(RedisServer.shared())
            .withConfiguration(AutoConfigurations.of(
                    LockMeterAutoConfiguration.class,
                    LockHealthContributorAutoConfiguration.class,
                    LockEndpointsAutoConfiguration.class))
            .withBean(Job.class);

    @Test
    void advisorForEveryMethodAdvisesTheApplicationsBeansAndTheClient() {
        application.withUserConfiguration(AdvisesEverything.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Job.class).run()).isEqualTo("wide");
            try (Lease lease =
                    context.getBean(LockClient.class).getLock("wide-other").acquire()) {
                assertThat(lease.isHeld()).isTrue();
            }
            assertThat(AdvisesEverything.SEEN).contains("run", "getLock");
        });
    }

    @Test
    void advisorThatNeedsALockedBeanIsAppliedToOthersAndTheBeanIsLocked() {
        application.withUserConfiguration(NeedsALockedBean.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Job.class).run()).isEqualTo("wide");
        });
    }

    @Test
    void proxyCreatorForEveryNameLeavesTheStartersBeansAlone() {
        application.withUserConfiguration(ProxiesEveryName.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Job.class).run()).isEqualTo("wide");
        });
    }

    static class Job {
        @DistributedLock(name = "wide")
        public String run() {
            return lock();
        }
    }

    private static MethodInterceptor noting(Set<String> seen) {
        return call -> {
            seen.add(call.getMethod().getName());
            return call.proceed();
        };
    }

    @Configuration(proxyBeanMethods = false)
    static class AdvisesEverything {
        static final Set<String> SEEN = new ConcurrentSkipListSet<>();

        @Bean
        static Advisor advisor() {
            return new DefaultPointcutAdvisor(EVERYTHING_BUT_SPRING, noting(SEEN));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NeedsALockedBean {
        @Bean
        static Advisor advisor(Job job) {
            return new DefaultPointcutAdvisor(EVERYTHING_BUT_SPRING, (MethodInterceptor) call -> call.proceed());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ProxiesEveryName {
        @Bean
        static MethodInterceptor interceptor() {
            return call -> call.proceed();
        }

        @Bean
        static BeanNameAutoProxyCreator creator() {
            BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
            creator.setBeanNames("holdfast*", "*Job");
            creator.setProxyTargetClass(true);
            creator.setInterceptorNames("interceptor");
            return creator;
        }
    }
}

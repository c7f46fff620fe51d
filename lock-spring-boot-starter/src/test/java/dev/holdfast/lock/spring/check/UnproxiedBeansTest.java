package dev.holdfast.lock.spring.check;

import static dev.holdfast.lock.spring.fixture.Locked.lock;
import static dev.holdfast.lock.spring.fixture.StartUp.failureOf;
import static dev.holdfast.lock.spring.fixture.StartUp.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Beans without a proxy that takes locks: refused where a definition of this application cannot work, reported elsewhere. */
@ExtendWith(OutputCaptureExtension.class)
class UnproxiedBeansTest {

    private static final String WARNING = "its methods run without their locks";

    @Test
    void beanThatWasCreatedBeforeTheProxyCreatorIsRefused() {
        assertRefused(() -> start(TooEarly.class));
    }

    @Test
    void beanThatSpringDoesNotProxyIsRefused() {
        assertRefused(() -> start(MakesInfrastructure.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class MakesInfrastructure {
        @Bean
        static Infrastructure infrastructure() {
            return new Infrastructure();
        }
    }

    static class Infrastructure implements AopInfrastructureBean {

        @DistributedLock(name = "infrastructure")
        public void run() {}
    }

    private static void assertRefused(ThrowingCallable start) {
        assertThat(failureOf(start))
                .isInstanceOf(InvalidLockDeclarationException.class)
                .hasMessageContainingAll(
                        "has no proxy", "its methods would run without their locks", "BeanPostProcessor");
    }

    @Test
    void objectThatWasRegisteredIsReported(CapturedOutput output) {
        start(context -> context.getBeanFactory().registerSingleton("plain", new Plain()))
                .close();
        assertThat(output).containsIgnoringCase(WARNING).contains("WARN", "'plain'", "registered as an object");
    }

    @Test
    void registeredObjectThatNoProxyCouldCoverIsNotRefused() {
        start(context -> context.getBeanFactory().registerSingleton("last", new Last()))
                .close();
    }

    @Test
    void beanThatAnotherPostProcessorWrapsIsLockedAndReportedAsUnknown(CapturedOutput output) {
        try (Locked app = Locked.application(PlainJob.class, Wrapping.class)) {
            assertThat(app.bean(Job.class).run()).isEqualTo("wrapped plain-job");
        }
        assertThat(output)
                .doesNotContainIgnoringCase(WARNING)
                .contains("WARN", "PlainJob", "another post-processor has wrapped or replaced");
    }

    @Test
    void objectThatCodeMakesAndAnotherPostProcessorReplacesBeforehandIsRefused() {
        assertRefused(() -> start(none -> {}, MakesPlainJob.class, Replacing.class));
    }

    @Test
    void finalMethodBehindAnInterfaceIsReportedAsFinal(CapturedOutput output) {
        start(none -> {}, FinalJob.class).close();
        assertThat(output).contains("WARN", "FinalJob", "no subclass can override FinalJob.run()");
    }

    static class FinalJob implements Job {
        @Override
        @DistributedLock(name = "final-job")
        public final String run() {
            return "final";
        }

        String viaThis() {
            return run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MakesPlainJob {
        @Bean
        static PlainJob plainJob() {
            return new PlainJob();
        }
    }

    @Test
    void beanThatAnotherPostProcessorReplacesBeforehandIsRefusedUnlessItsObjectLocksItself(CapturedOutput output) {
        try (Locked app = Locked.application(SelfCallingJob.class, Replacing.class)) {
            assertThat(app.bean(Job.class).run()).isEqualTo("wrapped self-calling");
        }
        assertThat(output).doesNotContainIgnoringCase(WARNING);
        assertRefused(() -> Locked.application(PlainJob.class, Replacing.class));
    }

    static class SelfCallingJob implements Job {
        @Override
        @DistributedLock(name = "self-calling")
        public String run() {
            return lock();
        }

        String viaThis() {
            return run();
        }
    }

    @Test
    void creatorThatComesBeforeSpringsIsReportedIfTheObjectLocksItself(CapturedOutput output) {
        try (Locked app = Locked.application(SelfCallingJob.class, FirstCreator.class)) {
            assertThat(app.bean(Job.class).run()).isEqualTo("self-calling");
        }
        assertThat(output).contains("WARN", "another proxy creator", "SelfCallingJob");
    }

    @Test
    void creatorThatComesBeforeSpringsIsNotReportedOtherwise(CapturedOutput output) {
        try (Locked app = Locked.application(PlainJob.class, FirstCreator.class)) {
            app.bean(Job.class).run();
            assertThat(app.locks().statistics().acquired()).isEqualTo(1);
        }
        assertThat(output).doesNotContain("another proxy creator");
    }

    /** Advises each job. */
    static class FirstCreator extends AbstractAutoProxyCreator implements PriorityOrdered {
        private static final long serialVersionUID = 1L;

        FirstCreator() {
            setProxyTargetClass(true);
        }

        @Override
        protected Object[] getAdvicesAndAdvisorsForBean(Class<?> type, String beanName, TargetSource source) {
            return Job.class.isAssignableFrom(type)
                    ? new Object[] {(MethodInterceptor) MethodInvocation::proceed}
                    : DO_NOT_PROXY;
        }
    }

    @Test
    void beanThatAPostProcessorNeedsIsLockedAndNotReported(CapturedOutput output) {
        try (Locked app = Locked.application(PlainJob.class, Needing.class)) {
            assertThat(app.bean(Job.class).run()).isEqualTo("plain-job");
        }
        assertThat(output).doesNotContainIgnoringCase(WARNING);
    }

    @Configuration(proxyBeanMethods = false)
    static class Needing {
        @Bean
        static NeedsJob needsJob(Job job) {
            return new NeedsJob(job);
        }
    }

    record NeedsJob(Job job) implements BeanPostProcessor, PriorityOrdered {
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }

    @Test
    void beansThatNeedEachOtherAreLockedAndNotReported(CapturedOutput output) {
        try (Locked app = withCircularReferences(Left.class, Right.class)) {
            assertThat(app.bean(Right.class).run()).isEqualTo("left");
        }
        assertThat(output).doesNotContainIgnoringCase(WARNING);
    }

    /** Spring shows such a bean's proxy to the other bean before the post-processor for {@code @Scheduled} sees the object itself. */
    @Test
    void scheduledMethodOfBeansThatNeedEachOtherHoldsItsLock() throws Exception {
        try (Locked app = withCircularReferences(Ticking.class, Clock.class, Scheduling.class)) {
            assertThat(app.bean(Ticking.class).seen().get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo("ticking");
        }
    }

    @Test
    void objectThatCodeMakesForBeansThatNeedEachOtherIsRefused() {
        assertThat(failureOf(() -> start(context -> context.setAllowCircularReferences(true), MakesTicking.class)))
                .isInstanceOf(InvalidLockDeclarationException.class)
                .hasMessageContainingAll("Ticking.tick", "circular reference", "@Lazy");
    }

    private static Locked withCircularReferences(Class<?>... beans) {
        return new Locked(context -> context.setAllowCircularReferences(true), beans);
    }

    static class Plain {

        @DistributedLock(name = "plain")
        public void run() {}
    }

    static final class Last {

        @DistributedLock(name = "last")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class TooEarly {

        @Bean
        static Plain plain() {
            return new Plain();
        }

        @Bean
        static First first(Plain plain) {
            return new First(plain);
        }

        record First(Plain plain) implements BeanPostProcessor, PriorityOrdered {

            @Override
            public int getOrder() {
                return HIGHEST_PRECEDENCE;
            }
        }
    }

    interface Job {

        String run();
    }

    static class PlainJob implements Job {

        @Override
        @DistributedLock(name = "plain-job")
        public String run() {
            return lock();
        }
    }

    private static Object wrapped(Object bean) {
        return bean instanceof Job job
                ? Proxy.newProxyInstance(
                        Job.class.getClassLoader(),
                        new Class<?>[] {Job.class},
                        (proxy, method, arguments) -> "wrapped " + job.run())
                : bean;
    }

    static class Wrapping implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            return wrapped(bean);
        }
    }

    static class Replacing implements BeanPostProcessor {

        @Override
        public Object postProcessBeforeInitialization(Object bean, String beanName) {
            return wrapped(bean);
        }
    }

    static class Left {

        @Autowired
        ObjectProvider<Right> unused;

        @Autowired
        Right right;

        @DistributedLock(name = "left")
        public String run() {
            return lock();
        }
    }

    static class Right {

        @Autowired
        Left left;

        public String run() {
            return left.run();
        }
    }

    static class Ticking {

        private final CompletableFuture<String> seen = new CompletableFuture<>();

        @Autowired
        Clock clock;

        @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
        @DistributedLock(name = "ticking")
        public void tick() {
            seen.complete(lock());
        }

        public CompletableFuture<String> seen() {
            return seen;
        }
    }

    static class Clock {

        @Autowired
        Ticking ticking;
    }

    @EnableScheduling
    @Configuration(proxyBeanMethods = false)
    static class Scheduling {}

    @Configuration(proxyBeanMethods = false)
    static class MakesTicking {
        @Bean
        static Ticking ticking() {
            return new Ticking();
        }

        @Bean
        static Clock clock() {
            return new Clock();
        }
    }
}

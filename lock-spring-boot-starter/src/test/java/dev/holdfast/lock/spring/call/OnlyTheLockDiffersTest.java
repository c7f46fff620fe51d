package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.common.bulkhead.configuration.CommonThreadPoolBulkheadConfigurationProperties;
import io.github.resilience4j.core.ContextAwareScheduledThreadPoolExecutor;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.spring6.bulkhead.configure.BulkheadConfiguration;
import io.github.resilience4j.spring6.bulkhead.configure.BulkheadConfigurationProperties;
import io.github.resilience4j.spring6.bulkhead.configure.threadpool.ThreadPoolBulkheadConfiguration;
import io.github.resilience4j.spring6.fallback.configure.FallbackConfiguration;
import io.github.resilience4j.spring6.retry.configure.RetryConfiguration;
import io.github.resilience4j.spring6.retry.configure.RetryConfigurationProperties;
import io.github.resilience4j.spring6.spelresolver.configure.SpelResolverConfiguration;
import io.github.resilience4j.spring6.timelimiter.configure.TimeLimiterConfiguration;
import io.github.resilience4j.spring6.timelimiter.configure.TimeLimiterConfigurationProperties;
import io.github.resilience4j.timelimiter.annotation.TimeLimiter;
import jakarta.validation.constraints.NotNull;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.framework.AopContext;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.config.CustomScopeConfigurer;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionReaderUtils;
import org.springframework.beans.factory.support.GenericBeanDefinition;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

/**
 * What people put around their beans runs on the same threads, in the same order and with the same result with a lock and without one, on an object that
 * Spring creates and on one that code makes.
 */
@Execution(ExecutionMode.SAME_THREAD)
class OnlyTheLockDiffersTest {

    @AutoClose
    private static Locked other;

    @BeforeAll
    static void start() {
        other = Locked.application(Proxies.class);
    }

    private static volatile Run current = new Run();

    /** One run of a case: what happened, and whether the bodies held their lock. */
    private static final class Run {
        /** Known as soon as the context has started. A scheduled body may be earlier. */
        private final CompletableFuture<Optional<Locked>> app = new CompletableFuture<>();

        private final Thread caller = Thread.currentThread();
        private final List<String> events = Collections.synchronizedList(new ArrayList<>());
        private final List<String> held = Collections.synchronizedList(new ArrayList<>());

        void add(String event) {
            String thread = Thread.currentThread() == caller
                    ? "caller"
                    : Thread.currentThread().getName().replaceAll("[0-9]+", "");
            events.add(event + " on " + thread);
        }
    }

    static void say(String event) {
        current.add(event);
    }

    /** What a body does. */
    static String body(String id) {
        Run run = current;
        boolean isHeld = run.app.join().filter(app -> app.isHeld("work:" + id)).isPresent();
        run.held.add(id + (isHeld ? " locked" : " unlocked"));
        run.add("body " + id);
        return "done " + id;
    }

    record Case(String name, Class<? extends Work> type, List<Class<?>> beans, boolean isExposed) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Case of(String name, Class<? extends Work> type, Class<?>... beans) {
        return new Case(name, type, List.of(beans), false);
    }

    static Stream<Case> cases() {
        return Stream.of(
                of("nothing", Plain.class),
                of("@Transactional", Plain.class, Transactions.class),
                of("@Cacheable", Plain.class, Caches.class),
                of("@Cacheable future", Later.class, AsyncCaches.class),
                of("@Retryable and @ConcurrencyLimit", Plain.class, Resilience.class),
                of("@Retryable future", Later.class, Resilience.class),
                of("@EventListener", Listening.class),
                of("method security", Plain.class, Security.class),
                of("all together", Later.class, Transactions.class, Background.class, Caches.class, Resilience.class),
                of("aspects", Plain.class, Pointcuts.class),
                of("advisors of one class", Plain.class, OfOneClass.class),
                of("advice on another thread", Plain.class, OnAnotherThread.class),
                of("advice on another thread around a future", Later.class, OnAnotherThread.class),
                of("advice that calls twice", Plain.class, Twice.class),
                of("advice that calls twice on another thread", Plain.class, TwiceOnAnotherThread.class),
                of(
                        "transaction around advice on another thread",
                        Plain.class,
                        Transactions.class,
                        OnAnotherThread.class),
                of("advice that a post-processor appends", Plain.class, Appending.class, OnAnotherThread.class),
                of("two proxy creators", Plain.class, SecondCreator.class),
                of("proxy made by hand", Plain.class, ByHand.class),
                of("proxy with a target that is swapped", Plain.class, Swapping.class),
                of(
                        "Resilience4j and @Transactional around a future",
                        Later.class,
                        Resilience4j.class,
                        Transactions.class),
                of(
                        "advice on another thread around @Scheduled",
                        OnSchedule.class,
                        Scheduling.class,
                        OnAnotherThread.class),
                of("@Validated", Validated.class, Validation.class),
                of("prototype", Plain.class, OnAnotherThread.class, Prototypes.class),
                of("scoped proxy", Plain.class, OnAnotherThread.class, ThreadScope.class),
                new Case("exposed proxy", Exposed.class, List.of(OnAnotherThread.class), true));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void onlyTheLockDiffers(Case one) throws Exception {
        Run expected = run(one, false, false);
        assertThat(expected.events).as("events").isNotEmpty();
        for (boolean isMade : List.of(true, false)) {
            Run locked = run(one, isMade, true);
            assertThat(locked.events)
                    .as(one + (isMade ? " made by code" : " created"))
                    .isEqualTo(expected.events);
            // A call through 'this' of an object that code makes has no lock, which a warning says.
            assertThat(locked.held)
                    .noneMatch(body -> body.endsWith("unlocked") && !(isMade && body.startsWith("this")));
        }
    }

    private static Run run(Case one, boolean isMade, boolean isLocked) throws Exception {
        current = new Run();
        List<Class<?>> beans = new ArrayList<>(one.beans());
        beans.add(one.isExposed() ? ExposedProxies.class : Proxies.class);
        if (isLocked) {
            try (Locked app = other.with(context -> register(context, one, isMade), beans.toArray(Class<?>[]::new))) {
                return call(app.context(), one, app);
            }
        }
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(beans.toArray(Class<?>[]::new));
            register(context, one, isMade);
            context.refresh();
            return call(context, one, null);
        }
    }

    private static <T> void register(AnnotationConfigApplicationContext context, Case one, boolean isMade) {
        @SuppressWarnings("unchecked") // The definition and its supplier need one type, whichever it is.
        Class<T> type = (Class<T>) one.type();
        Supplier<T> made = isMade ? () -> BeanUtils.instantiateClass(type) : null;
        GenericBeanDefinition definition = (GenericBeanDefinition)
                BeanDefinitionBuilder.genericBeanDefinition(type, made).getBeanDefinition();
        BeanDefinitionHolder work = new BeanDefinitionHolder(definition, "work");
        if (one.beans().contains(Prototypes.class)) {
            definition.setScope("prototype");
        } else if (one.beans().contains(ThreadScope.class)) {
            definition.setScope("thread");
            work = ScopedProxyUtils.createScopedProxy(work, context, true);
        }
        BeanDefinitionReaderUtils.registerBeanDefinition(work, context);
    }

    private static Run call(ApplicationContext context, Case one, @Nullable Locked app) throws Exception {
        Run run = current;
        run.app.complete(Optional.ofNullable(app));
        Work work = context.getBean("work", Work.class);
        if (one.beans().contains(ByHand.class)) {
            ProxyFactory factory = new ProxyFactory(work);
            factory.addAdvice(onAnotherThread());
            work = (Work) factory.getProxy();
        }
        Work called = work;
        if (work instanceof Listening) {
            context.publishEvent("event");
        }
        if (work instanceof OnSchedule scheduled) {
            assertThat(scheduled.ran().await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
        result(() -> called.work("proxy"));
        result(() -> called.work("proxy"));
        result(() -> called.viaThis("this"));
        return run;
    }

    private interface Call {
        Object make() throws Exception;
    }

    private static void result(Call call) {
        try {
            Object result = call.make();
            say("returned "
                    + (result instanceof CompletableFuture<?> future
                            ? "later " + future.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                            : result));
        } catch (Exception e) {
            say("threw " + e);
        }
    }

    interface Work {
        Object work(String id) throws Exception;

        Object viaThis(String id) throws Exception;
    }

    abstract static class SelfCalling implements Work {
        @Override
        public Object viaThis(String id) throws Exception {
            return work(id);
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Marked {
        String value() default "mark";
    }

    /** Its annotations have no effect unless a case turns them on. The second body that the proxy runs fails. */
    @Marked
    static class Plain extends SelfCalling {
        private int bodies;

        @Override
        @Marked
        @Transactional(rollbackFor = IOException.class)
        @Cacheable("work")
        @Retryable(delay = 1)
        @ConcurrencyLimit(1)
        @PreAuthorize("@gate.opens()")
        @DistributedLock(name = "work", key = "#id")
        public Object work(String id) throws IOException {
            String done = body(id);
            if (id.equals("proxy") && ++bodies == 2) {
                throw new IOException(done);
            }
            return done;
        }
    }

    /** The same for a future. */
    static class Later extends SelfCalling {
        private int bodies;

        @Override
        @Async
        @Retryable(delay = 1)
        @Retry(name = "work")
        @TimeLimiter(name = "work")
        @Bulkhead(name = "work", type = Bulkhead.Type.THREADPOOL)
        @Transactional
        @Cacheable("work")
        @DistributedLock(name = "work", key = "#id")
        public CompletableFuture<String> work(String id) {
            String done = body(id);
            return id.equals("proxy") && ++bodies == 2
                    ? CompletableFuture.failedFuture(new IllegalStateException(done))
                    : CompletableFuture.completedFuture(done);
        }
    }

    static class Listening extends SelfCalling {
        @Override
        @EventListener
        @DistributedLock(name = "work", key = "#id")
        public Object work(String id) {
            // A result would be published as an event.
            body(id);
            return List.of();
        }
    }

    static class OnSchedule extends Plain {
        private final CountDownLatch ran = new CountDownLatch(1);

        @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.DAYS)
        @DistributedLock(name = "work", key = "'tick'")
        public void tick() {
            body("tick");
            ran.countDown();
        }

        public CountDownLatch ran() {
            return ran;
        }
    }

    /** Its second result is invalid. */
    @org.springframework.validation.annotation.Validated
    static class Validated extends SelfCalling {
        private int calls;

        @Override
        @NotNull
        @DistributedLock(name = "work", key = "#id")
        public Object work(String id) {
            String done = body(id);
            return calls++ == 1 ? null : done;
        }
    }

    static class Exposed extends SelfCalling {
        @Override
        @DistributedLock(name = "work", key = "#id")
        public Object work(String id) throws Exception {
            return id.equals("this") ? ((Work) AopContext.currentProxy()).work("exposed") : body(id);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAspectJAutoProxy(proxyTargetClass = true)
    static class Proxies {}

    @Configuration(proxyBeanMethods = false)
    @EnableAspectJAutoProxy(proxyTargetClass = true, exposeProxy = true)
    static class ExposedProxies {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Transactions {
        @Bean
        static PlatformTransactionManager transactions() {
            return new AbstractPlatformTransactionManager() {
                @Override
                protected Object doGetTransaction() {
                    return new Object();
                }

                @Override
                protected void doBegin(Object transaction, TransactionDefinition definition) {
                    say("begin");
                }

                @Override
                protected void doCommit(DefaultTransactionStatus status) {
                    say("commit");
                }

                @Override
                protected void doRollback(DefaultTransactionStatus status) {
                    say("roll back");
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(proxyTargetClass = true)
    static class Background {
        @Bean
        static ThreadPoolTaskExecutor taskExecutor() {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setThreadNamePrefix("background-");
            return executor;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching(proxyTargetClass = true)
    static class Caches {
        @Bean
        static ConcurrentMapCacheManager caches() {
            return new ConcurrentMapCacheManager("work");
        }
    }

    /** A cache that looks its values up on a thread of its own, as that of Redis does. */
    @Configuration(proxyBeanMethods = false)
    @EnableCaching(proxyTargetClass = true)
    static class AsyncCaches {
        @Bean
        static ConcurrentMapCacheManager caches(ExecutorService pool) {
            return new ConcurrentMapCacheManager("work") {
                @Override
                protected org.springframework.cache.Cache createConcurrentMapCache(String name) {
                    return new org.springframework.cache.concurrent.ConcurrentMapCache(name) {
                        @Override
                        public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
                            return CompletableFuture.supplyAsync(
                                    () -> loader.get().join(), pool);
                        }
                    };
                }
            };
        }

        @Bean(destroyMethod = "shutdown")
        static ExecutorService pool() {
            return Executors.newSingleThreadExecutor(work -> new Thread(work, "cache"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods(proxyTargetClass = true)
    static class Resilience {}

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity(proxyTargetClass = true)
    static class Security {
        @Bean
        static Gate gate() {
            return new Gate();
        }
    }

    /** Permits the first call only. */
    static class Gate {
        private int calls;

        public boolean opens() {
            return calls++ == 0;
        }
    }

    /** Its executors continue a call on threads of their own. */
    @Configuration(proxyBeanMethods = false)
    @Import({
        BulkheadConfiguration.class,
        ThreadPoolBulkheadConfiguration.class,
        RetryConfiguration.class,
        TimeLimiterConfiguration.class,
        FallbackConfiguration.class,
        SpelResolverConfiguration.class,
        BulkheadConfigurationProperties.class,
        ThreadPoolProperties.class,
        RetryConfigurationProperties.class,
        TimeLimiterConfigurationProperties.class
    })
    static class Resilience4j {
        @Bean(destroyMethod = "shutdown")
        static ContextAwareScheduledThreadPoolExecutor scheduler() {
            return ContextAwareScheduledThreadPoolExecutor.newScheduledThreadPool()
                    .corePoolSize(1)
                    .build();
        }
    }

    static class ThreadPoolProperties extends CommonThreadPoolBulkheadConfigurationProperties {}

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    @Configuration(proxyBeanMethods = false)
    static class Validation {
        @Bean
        static MethodValidationPostProcessor validation() {
            MethodValidationPostProcessor processor = new MethodValidationPostProcessor();
            processor.setProxyTargetClass(true);
            processor.setAdaptConstraintViolations(true);
            return processor;
        }
    }

    static class Prototypes {}

    @Configuration(proxyBeanMethods = false)
    static class ThreadScope {
        @Bean
        static CustomScopeConfigurer scope() {
            CustomScopeConfigurer scopes = new CustomScopeConfigurer();
            scopes.addScope("thread", new SimpleThreadScope());
            return scopes;
        }
    }

    private static Object around(ProceedingJoinPoint call, String what) throws Throwable {
        say("before " + what);
        try {
            return call.proceed();
        } finally {
            say("after " + what);
        }
    }

    private static final String OF = "dev.holdfast.lock.spring.call.OnlyTheLockDiffersTest.";

    /** Advice by every kind of pointcut. */
    @Aspect
    static class Pointcuts {
        @Around("execution(* " + OF + "Plain.work(..))")
        public Object byExecution(ProceedingJoinPoint call) throws Throwable {
            return around(call, "execution");
        }

        @Around("within(" + OF + "Plain)")
        public Object byWithin(ProceedingJoinPoint call) throws Throwable {
            return around(call, "within");
        }

        @Around("@target(" + OF + "Marked) && execution(* " + OF + "Work+.work(..))")
        public Object byTargetAnnotation(ProceedingJoinPoint call) throws Throwable {
            return around(call, "@target");
        }

        @Around(value = "@target(mark) && execution(* " + OF + "Work+.work(..))", argNames = "call,mark")
        public Object byTargetValue(ProceedingJoinPoint call, Marked mark) throws Throwable {
            return around(call, "@target of " + mark.value());
        }

        @Around("@within(" + OF + "Marked)")
        public Object byWithinAnnotation(ProceedingJoinPoint call) throws Throwable {
            return around(call, "@within");
        }

        @Around(value = "@annotation(mark)", argNames = "call,mark")
        public Object byAnnotation(ProceedingJoinPoint call, Marked mark) throws Throwable {
            return around(call, "@annotation " + mark.value());
        }

        @Around("bean(work)")
        public Object byBean(ProceedingJoinPoint call) throws Throwable {
            return around(call, "bean");
        }

        @Around("this(" + OF + "Plain)")
        public Object byThis(ProceedingJoinPoint call) throws Throwable {
            return around(call, "this");
        }

        @Around("target(" + OF + "Plain)")
        public Object byTarget(ProceedingJoinPoint call) throws Throwable {
            return around(call, "target");
        }

        @Around(value = "execution(* " + OF + "Work+.*(..)) && args(id)", argNames = "call,id")
        public Object byArguments(ProceedingJoinPoint call, String id) throws Throwable {
            return around(call, "args " + id);
        }
    }

    private static MethodInterceptor noting(String what) {
        return call -> {
            say("before " + what);
            try {
                return call.proceed();
            } finally {
                say("after " + what);
            }
        };
    }

    @Configuration(proxyBeanMethods = false)
    static class OfOneClass {
        @Bean
        static Advisor byFilter() {
            return new DefaultPointcutAdvisor(
                    new ComposablePointcut((ClassFilter) type -> type == Plain.class), noting("filter"));
        }

        @Bean
        static Advisor byMatcher() {
            return new DefaultPointcutAdvisor(
                    new StaticMethodMatcherPointcut() {
                        @Override
                        public boolean matches(java.lang.reflect.Method method, Class<?> targetClass) {
                            return targetClass == Plain.class;
                        }
                    },
                    noting("matcher"));
        }
    }

    private static MethodInterceptor onAnotherThread() {
        return call -> onAnotherThread(call);
    }

    /** Continues as a bulkhead with a pool of threads or a time limiter does. */
    private static @Nullable Object onAnotherThread(MethodInvocation call) throws Throwable {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        MethodInvocation rest = ((ProxyMethodInvocation) call).invocableClone();
        new Thread(
                        () -> {
                            try {
                                result.complete(rest.proceed());
                            } catch (Throwable e) {
                                result.completeExceptionally(e);
                            }
                        },
                        "bulkhead")
                .start();
        try {
            return result.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            throw e.getCause();
        }
    }

    private static Pointcut work() {
        NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
        pointcut.setMappedNames("work", "tick");
        pointcut.setClassFilter(Work.class::isAssignableFrom);
        return pointcut;
    }

    /** Comes inside the lock. */
    private static Advisor inside(MethodInterceptor advice) {
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(work(), advice);
        advisor.setOrder(Ordered.LOWEST_PRECEDENCE - 10);
        return advisor;
    }

    @Configuration(proxyBeanMethods = false)
    static class OnAnotherThread {
        @Bean
        static Advisor onAnotherThreadAdvisor() {
            return inside(onAnotherThread());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Twice {
        @Bean
        static Advisor advisor() {
            return inside(call -> {
                ((ProxyMethodInvocation) call).invocableClone().proceed();
                return call.proceed();
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwiceOnAnotherThread {
        @Bean
        static Advisor advisor() {
            return inside(call -> {
                onAnotherThread(call);
                return onAnotherThread(call);
            });
        }
    }

    /** Adds its advice to a proxy that exists, after all other advice, as that for validation does. */
    static class Appending extends AbstractAdvisingBeanPostProcessor {
        private static final long serialVersionUID = 1L;

        Appending() {
            advisor = new DefaultPointcutAdvisor(work(), noting("appended"));
        }

        @Override
        @Order
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SecondCreator {
        @Bean
        static DefaultAdvisorAutoProxyCreator creator() {
            DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
            creator.setProxyTargetClass(true);
            return creator;
        }

        @Bean
        static Advisor advisor() {
            return new DefaultPointcutAdvisor(work(), noting("advice of both"));
        }
    }

    static class ByHand {}

    /** Swaps the target of a proxy around the bean for the same bean. */
    @Configuration(proxyBeanMethods = false)
    static class Swapping {
        @Bean
        static org.springframework.beans.factory.config.BeanPostProcessor swapper() {
            return new org.springframework.beans.factory.config.BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String beanName) {
                    if (!beanName.equals("work")) {
                        return bean;
                    }
                    HotSwappableTargetSource source = new HotSwappableTargetSource(bean);
                    ProxyFactory factory = new ProxyFactory();
                    factory.setTargetSource(source);
                    factory.setInterfaces(Work.class);
                    factory.addAdvice(noting("swapped"));
                    source.swap(bean);
                    return factory.getProxy();
                }
            };
        }
    }
}

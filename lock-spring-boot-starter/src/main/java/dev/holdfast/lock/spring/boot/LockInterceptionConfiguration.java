package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.call.LockInterceptor;
import dev.holdfast.lock.spring.call.LockInterceptor.LockAdvisor;
import dev.holdfast.lock.spring.check.DeclarationCheck;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.declaration.LockOperationParser;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.job.Jobs;
import dev.holdfast.lock.spring.job.OverdueMeters;
import dev.holdfast.lock.spring.method.SubclassedBeans;
import dev.holdfast.lock.spring.observe.LockObservations;
import dev.holdfast.lock.spring.pause.RecordedPauses;
import dev.holdfast.lock.spring.transaction.TransactionLocks;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactoryInitializer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;

/** Enables {@code @DistributedLock} with all features, given a {@link LockClient}. Reads the settings, if there is a bean of them. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(LockInterceptionConfiguration.ProxyCreator.class)
public class LockInterceptionConfiguration {

    private static final String INTERCEPTOR = "holdfastInterceptor";

    /** The features, in the order in which they are asked. Those of other modules, which are beans, come last. */
    @Bean(INTERCEPTOR)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockInterceptor holdfastInterceptor(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockClient> client,
            ObjectProvider<LockSettings.Source> settings,
            ObjectProvider<LockObservations> observations,
            Jobs jobs,
            ObjectProvider<Function<LockOperation, @Nullable LockFeature>> others) {
        List<Function<LockOperation, @Nullable LockFeature>> features = new ArrayList<>(List.of(
                TransactionLocks::feature,
                LockObservations.feature(later(observations)),
                RecordedPauses::feature,
                jobs::feature));
        features.addAll(others.orderedStream().toList());
        return new LockInterceptor(
                new LockOperationParser(beans::resolveEmbeddedValue, source(settings), beans), features, later(client));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockAdvisor holdfastAdvisor(ObjectProvider<LockSettings.Source> settings) {
        LockAdvisor advisor = new LockAdvisor(() -> source(settings).order());
        advisor.setAdviceBeanName(INTERCEPTOR);
        return advisor;
    }

    /** Looks a bean up at the first use. */
    private static <T> Supplier<T> later(ObjectProvider<T> bean) {
        return SingletonSupplier.of(bean::getObject);
    }

    private static LockSettings.Source source(ObjectProvider<LockSettings.Source> settings) {
        return settings.getIfAvailable(() -> new LockSettings.Source() {});
    }

    /**
     * Creates the beans that every proxy needs before all other beans, if a bean is initialized in the background: Spring refuses to create them on
     * its thread. Without one, the first bean with an annotated method creates them.
     */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanFactoryInitializer<ConfigurableListableBeanFactory> holdfastInitializer() {
        return beans -> {
            for (String name : beans.getBeanDefinitionNames()) {
                if (beans.getBeanDefinition(name) instanceof AbstractBeanDefinition bean && bean.isBackgroundInit()) {
                    beans.getBean(INTERCEPTOR);
                    return;
                }
            }
        };
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static SubclassedBeans holdfastSubclassedBeans(ObjectProvider<LockInterceptor> locks) {
        return new SubclassedBeans(later(locks));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DeclaredLocks holdfastDeclaredLocks() {
        return new DeclaredLocks();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DeclarationCheck holdfastDeclarationCheck(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockInterceptor> source,
            SubclassedBeans classes,
            DeclaredLocks declared,
            ObjectProvider<DeclaredLocks.Check> checks,
            ApplicationContext own) {
        return new DeclarationCheck(beans, source, classes, declared, checks, own);
    }

    /** Observations go to the application's registry; if there is none, to a registry of the starter. */
    @Bean
    @ConditionalOnMissingBean
    LockObservations holdfastObservations(
            ObjectProvider<ObservationRegistry> registry, ObjectProvider<ObservationHandler<?>> handlers) {
        return new LockObservations(registry.getIfUnique(() -> {
            ObservationRegistry own = ObservationRegistry.create();
            handlers.orderedStream().forEach(own.observationConfig()::observationHandler);
            return own;
        }));
    }

    @Bean
    static RecordedPauses holdfastPauses(
            ObjectProvider<LockClient> client, DeclaredLocks declared, ApplicationEventPublisher events) {
        return new RecordedPauses(later(client), declared, events);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Jobs holdfastJobs(ObjectProvider<LockClient> client, ObjectProvider<LockPauses> pauses) {
        return new Jobs(client, pauses);
    }

    @Bean
    static JobBoard holdfastJobBoard(Jobs jobs, ApplicationEventPublisher events) {
        return jobs.board(events);
    }

    @Bean
    static SmartLifecycle holdfastOverdueWatch(Jobs jobs) {
        return jobs.watch();
    }

    @Bean
    static ApplicationListener<ContextClosedEvent> holdfastPendingTicks(DeclaredLocks declared) {
        return Jobs.pendingTicks(declared);
    }

    /** Spring Boot registers the proxy creator only if {@code spring.aop.auto} is on, and without it methods would run unlocked. */
    static final class ProxyCreator implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }

    /** A class of its own, because Micrometer's meters are an optional library. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "io.micrometer.core.instrument.MeterRegistry")
    static class Meters {
        @Bean
        static OverdueMeters holdfastOverdueMeters(Jobs jobs) {
            return new OverdueMeters(jobs);
        }
    }
}

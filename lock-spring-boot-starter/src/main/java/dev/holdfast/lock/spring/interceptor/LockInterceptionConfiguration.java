package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.interceptor.LockInterceptor.LockAdvisor;
import dev.holdfast.lock.spring.method.LockedBeanClasses;
import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.BeanFactoryInitializer;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Enables {@code @DistributedLock}, given a {@link LockClient}. Uses beans of type {@link LockSettings.Source}, {@link LockObservations} and {@link
 * DeclaredLocks.Check} if there are any. Binds single properties, because post-processors need them and must not create the bean of all properties so
 * early.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(LockInterceptionConfiguration.ProxyCreatorRegistrar.class)
public class LockInterceptionConfiguration {

    /**
     * The default order of the advisor: just outside of transactions and caches, and inside of retries and security. A lower order is further out.
     */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    static final String INTERCEPTOR = "holdfastInterceptor";

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockAdvisor holdfastAdvisor(Environment environment) {
        LockAdvisor advisor = new LockAdvisor();
        advisor.setAdviceBeanName(INTERCEPTOR);
        advisor.setOrder(
                Binder.get(environment).bind("holdfast.order", Integer.class).orElse(DEFAULT_ORDER));
        return advisor;
    }

    @Bean(INTERCEPTOR)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockInterceptor holdfastInterceptor(
            LockOperationSource methods,
            ObjectProvider<LockClient> client,
            ObjectProvider<LockObservations> observations) {
        // Both beans are looked up at the first call, because the interceptor is created before most beans.
        Supplier<LockObservations> observed = SingletonSupplier.of(
                () -> observations.getIfAvailable(() -> new LockObservations(ObservationRegistry.NOOP)));
        // In this order, features act before the request, under the lock, and before the release.
        List<AroundLock.Feature> features = List.of(
                call -> observed.get().around(call),
                CallHistory::around,
                SkippedCall::around,
                PausedCall::around,
                OnceRun::around);
        return new LockInterceptor(methods, new LockAcquirer(SingletonSupplier.of(client::getObject), features));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedBeanClasses holdfastLockedBeanClasses(ObjectProvider<LockInterceptor> locks) {
        return new LockedBeanClasses(LockOperationSource::lockedMethods, SingletonSupplier.of(locks::getObject));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockOperationSource holdfastLockOperationSource(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockSettings.Source> settings,
            Environment environment) {
        boolean beanReferences = Binder.get(environment)
                .bind("holdfast.bean-references", Boolean.class)
                .orElse(false);
        return new LockOperationSource(new LockOperationParser(
                beans::resolveEmbeddedValue,
                settings.getIfAvailable(() -> new LockSettings.Source() {}),
                new Fallbacks(beans),
                beanReferences ? new BeanFactoryResolver(beans) : null));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DeclaredLocks holdfastDeclaredLocks() {
        return new DeclaredLocks();
    }

    @Bean
    static LockPauses holdfastPauses(
            ObjectProvider<LockClient> client, DeclaredLocks declared, ApplicationEventPublisher events) {
        return new FleetPauses(SingletonSupplier.of(client::getObject), declared, events);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ProxiedBeans holdfastProxiedBeans() {
        return new ProxiedBeans();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DeclarationCheck holdfastDeclarationCheck(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockOperationSource> source,
            ProxiedBeans proxied,
            Environment environment,
            DeclaredLocks declared,
            ObjectProvider<DeclaredLocks.Check> checks) {
        return new DeclarationCheck(beans, source, proxied, UnproxiedBeans.of(environment), declared, checks);
    }

    /**
     * Creates the beans that every proxy needs before all other beans. Spring refuses to create them on the thread of a bean that is initialized in
     * the background.
     */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanFactoryInitializer<ListableBeanFactory> holdfastInitializer() {
        return beans -> beans.getBean(INTERCEPTOR);
    }

    @Bean
    static ContextHierarchyCheck holdfastContextHierarchyCheck(ApplicationContext own, Environment environment) {
        return new ContextHierarchyCheck(own, UnproxiedBeans.of(environment));
    }

    @Bean
    static PendingTicks holdfastPendingTicks(DeclaredLocks declared) {
        return new PendingTicks(declared);
    }

    /**
     * Cancels scheduled runs of locked methods that have not begun when the context closes. Without this, Spring would start due runs until it
     * destroys the scheduler, although the lock client is closed before that.
     */
    record PendingTicks(DeclaredLocks declared) implements ApplicationListener<ContextClosedEvent> {
        @Override
        public void onApplicationEvent(ContextClosedEvent event) {
            Set<String> locked = declared.all().stream()
                    .flatMap(lock -> names(lock.method()))
                    .collect(Collectors.toSet());
            event.getApplicationContext().getBeansOfType(ScheduledTaskHolder.class).values().stream()
                    .flatMap(holder -> holder.getScheduledTasks().stream())
                    .filter(task -> locked.contains(task.toString().replaceFirst("\\$\\$SpringCGLIB\\$\\$\\d+", "")))
                    .forEach(task -> task.cancel(false));
        }

        /** Returns the names by which a scheduled task may refer to its method: by its class, or by an interface if a JDK proxy is used. */
        private static Stream<String> names(Method method) {
            Class<?> type = method.getDeclaringClass();
            return Stream.concat(Stream.of(type), Stream.of(ClassUtils.getAllInterfacesForClass(type)))
                    .map(each -> each.getName() + "." + method.getName());
        }
    }

    /** Logs once, if locks are switched off, which methods run without them. */
    public record UnlockedMethodsWarning(ConfigurableListableBeanFactory beans) implements SmartInitializingSingleton {
        @Override
        public void afterSingletonsInstantiated() {
            List<String> unlocked = Stream.of(beans.getBeanNamesForType(Object.class, true, false))
                    .flatMap(name -> lockedMethods(name).stream())
                    .map(Declaration::signature)
                    .distinct()
                    .toList();
            if (!unlocked.isEmpty()) {
                LogFactory.getLog(UnlockedMethodsWarning.class)
                        .warn("holdfast.enabled is false. These methods run without their locks: "
                                + String.join(", ", unlocked));
            }
        }

        private Set<Method> lockedMethods(String beanName) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, beanName);
            return type == null ? Set.of() : LockOperationSource.lockedMethods(type);
        }
    }

    /** Registers the proxy creator. Spring Boot registers it only if {@code spring.aop.auto} is on, and without it methods would run unlocked. */
    static final class ProxyCreatorRegistrar implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}

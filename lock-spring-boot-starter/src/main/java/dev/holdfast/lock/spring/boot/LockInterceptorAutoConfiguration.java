package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.aspectj.WeavingLink;
import dev.holdfast.lock.spring.interceptor.InterceptionOptions;
import dev.holdfast.lock.spring.interceptor.InterceptionOptions.UnproxiedBeans;
import dev.holdfast.lock.spring.interceptor.LockGuard;
import dev.holdfast.lock.spring.interceptor.LockInterceptionConfiguration;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ReflectionUtils;

/**
 * Auto-configuration for {@code @DistributedLock}. There whether or not there is a lock client: a method that declares a lock and could not get
 * one ends the start instead of running without it. Only {@code holdfast.enabled=false} lets it run so, and the log says which.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
public final class LockInterceptorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @Conditional(LocksOn.class)
    @EnableConfigurationProperties(LockProperties.class)
    @Import(LockInterceptionConfiguration.class)
    static class SwitchedOn {

        /** Read by itself: it is needed while post-processors are made, and the properties' bean would miss those. */
        @Bean
        @ConditionalOnMissingBean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static InterceptionOptions holdfastInterceptionOptions(Environment environment) {
            Binder binder = Binder.get(environment);
            String prefix = LockProperties.PREFIX + ".";
            return InterceptionOptions.defaults()
                    .order(binder.bind(prefix + "order", Integer.class).orElse(InterceptionOptions.DEFAULT_ORDER))
                    .beanReferences(binder.bind(prefix + "bean-references", Boolean.class)
                            .orElse(false))
                    .unproxiedBeans(binder.bind(prefix + "unproxied-beans", UnproxiedBeans.class)
                            .orElse(UnproxiedBeans.FAIL));
        }

        /** Connects what AspectJ's load-time weaver has woven, if it runs. */
        @Bean
        @ConditionalOnClass(name = "org.aspectj.lang.annotation.Aspect")
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static WeavingLink holdfastWeavingLink(ObjectProvider<LockGuard> guard) {
            return new WeavingLink(guard);
        }

        @Bean
        LockDeclarationsCheck holdfastLockDeclarationsCheck(
                LockProperties properties, ObjectProvider<LockClient> client) {
            return new LockDeclarationsCheck(properties, client);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Conditional(LocksOff.class)
    static class SwitchedOff {

        @Bean
        UnlockedMethodsWarning holdfastUnlockedMethodsWarning(ConfigurableListableBeanFactory beans) {
            return new UnlockedMethodsWarning(beans);
        }
    }

    /**
     * Whether annotated methods are locked. They are, unless {@code holdfast.enabled} binds to {@code false}; a value that does not bind fails the start.
     * Boot's own condition compares the text with "true", and so would switch all locks off for "on" and for a slip.
     */
    private abstract static class LocksSwitch extends SpringBootCondition {

        private static final String PROPERTY = LockProperties.PREFIX + ".enabled";

        private final boolean wanted;

        LocksSwitch(boolean wanted) {
            this.wanted = wanted;
        }

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            boolean enabled = Binder.get(context.getEnvironment())
                    .bind(PROPERTY, Boolean.class)
                    .orElse(true);
            return new ConditionOutcome(enabled == wanted, ConditionMessage.of(PROPERTY + " is " + enabled));
        }
    }

    /** Matches where methods are locked. */
    static final class LocksOn extends LocksSwitch {
        LocksOn() {
            super(true);
        }
    }

    /** Matches where they run without their locks. */
    static final class LocksOff extends LocksSwitch {
        LocksOff() {
            super(false);
        }
    }

    /** Logs once, when locks are switched off, which methods run without them. */
    record UnlockedMethodsWarning(ConfigurableListableBeanFactory beans) implements SmartInitializingSingleton {

        private static final Log log = LogFactory.getLog(UnlockedMethodsWarning.class);

        @Override
        public void afterSingletonsInstantiated() {
            List<String> unlocked = new ArrayList<>();
            for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
                Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
                if (type != null && AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
                    addAnnotated(type, unlocked);
                }
            }
            if (!unlocked.isEmpty()) {
                log.warn("holdfast.enabled is false. These methods run without their locks: "
                        + String.join(", ", unlocked));
            }
        }

        private static void addAnnotated(Class<?> type, List<String> unlocked) {
            if (isAnnotated(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY))) {
                unlocked.add(type.getName());
            }
            ReflectionUtils.doWithMethods(
                    type,
                    method -> unlocked.add(type.getName() + "." + method.getName() + "()"),
                    method -> !method.isBridge()
                            && isAnnotated(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)));
        }

        private static boolean isAnnotated(MergedAnnotations annotations) {
            return annotations.isPresent(DistributedLock.class);
        }
    }
}

package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.aspectj.WeavingLink;
import dev.holdfast.lock.spring.interceptor.InterceptionOptions;
import dev.holdfast.lock.spring.interceptor.InterceptionOptions.UnproxiedBeans;
import dev.holdfast.lock.spring.interceptor.LockInterceptionConfiguration;
import dev.holdfast.lock.spring.interceptor.LockInterceptionConfiguration.UnlockedMethodsWarning;
import dev.holdfast.lock.spring.interceptor.LockInterceptor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for {@code @DistributedLock}. Applies whether or not there is a lock client: a method that declares a lock that it
 * cannot acquire fails startup. It runs without its lock only if {@code holdfast.enabled=false}, and the log then names it.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
public final class LockInterceptorAutoConfiguration {

    private static final String SWITCH = LockProperties.PREFIX + ".enabled";

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSwitch(SWITCH)
    @EnableConfigurationProperties(LockProperties.class)
    @Import(LockInterceptionConfiguration.class)
    static class SwitchedOn {

        /** Binds its properties alone: post-processors need it, and must not create the bean of all properties so early. */
        @Bean
        @ConditionalOnMissingBean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static InterceptionOptions holdfastInterceptionOptions(Environment environment) {
            Binder binder = Binder.get(environment);
            return new InterceptionOptions(
                    binder.bind("holdfast.order", Integer.class).orElse(InterceptionOptions.DEFAULT_ORDER),
                    binder.bind("holdfast.bean-references", Boolean.class).orElse(false),
                    binder.bind("holdfast.unproxied-beans", UnproxiedBeans.class)
                            .orElse(UnproxiedBeans.FAIL));
        }

        /** Connects what AspectJ's load-time weaver has woven, if it runs. */
        @Bean
        @ConditionalOnClass(name = "org.aspectj.lang.annotation.Aspect")
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static WeavingLink holdfastWeavingLink(ObjectProvider<LockInterceptor> locks) {
            return new WeavingLink(locks);
        }

        @Bean
        LockDeclarationsCheck holdfastLockDeclarationsCheck(
                LockProperties properties, ObjectProvider<LockClient> client) {
            return new LockDeclarationsCheck(properties, client);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSwitch(value = SWITCH, is = false)
    static class SwitchedOff {

        @Bean
        UnlockedMethodsWarning holdfastUnlockedMethodsWarning(ConfigurableListableBeanFactory beans) {
            return new UnlockedMethodsWarning(beans);
        }
    }
}

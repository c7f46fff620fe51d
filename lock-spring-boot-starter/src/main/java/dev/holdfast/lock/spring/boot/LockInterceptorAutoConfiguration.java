package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.aspectj.WeavingLink;
import dev.holdfast.lock.spring.call.LockInterceptor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for {@code @DistributedLock}. Applies even if there is no lock client: a method that declares a lock that it cannot acquire
 * fails startup. Methods run without their locks only if {@code holdfast.enabled=false}, and the log then names them.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
public final class LockInterceptorAutoConfiguration {

    private static final String SWITCH = LockProperties.PREFIX + ".enabled";

    /** Set by {@code @AutoConfigureHoldfastTest} of lock-test. */
    private static final String SLICE = LockProperties.PREFIX + ".test.slice";

    @Bean
    @Lazy(false)
    @ConditionalOnSwitch(value = SWITCH, is = false)
    UnlockedMethodsWarning holdfastUnlockedMethodsWarning(ConfigurableListableBeanFactory beans) {
        return new UnlockedMethodsWarning(beans);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSwitch(SWITCH)
    @EnableConfigurationProperties(LockProperties.class)
    @Import(LockInterceptionConfiguration.class)
    static class SwitchedOn {
        /** Creates the link to code that AspectJ's load-time weaver has woven, if the weaver runs. */
        @Bean
        @ConditionalOnClass(name = "org.aspectj.lang.annotation.Aspect")
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static WeavingLink holdfastWeavingLink(ObjectProvider<LockInterceptor> locks) {
            return new WeavingLink(locks);
        }

        @Bean
        static LockDeclarationsCheck holdfastLockDeclarationsCheck(
                ObjectProvider<LockProperties> properties, ObjectProvider<LockClient> client, Environment environment) {
            // A test slice switches auto-configuration off and selects what it needs, so only some of the application's
            // beans exist.
            boolean slice =
                    !environment.getProperty(EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY, Boolean.class, true)
                            || environment.getProperty(SLICE, Boolean.class, false);
            return new LockDeclarationsCheck(properties, slice, client);
        }
    }
}

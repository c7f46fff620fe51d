package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.LockClientCustomizer;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.test.InMemoryLockClient;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration for tests. In a context that Spring's test framework starts, an {@link InMemoryLockClient} with the application's settings
 * replaces the client on Redis. An application that defines its own {@link LockClient} keeps it. In any other context, the client on Redis is kept,
 * because this module may be on the class path by mistake. {@code holdfast.test.in-memory=false} switches this off.
 */
@AutoConfiguration(before = LockAutoConfiguration.class)
@ConditionalOnProperty(name = InMemoryLockAutoConfiguration.SWITCH, matchIfMissing = true)
public final class InMemoryLockAutoConfiguration {

    static final String SWITCH = "holdfast.test.in-memory";

    /** A bean that exists in every context that a test starts. It is not a property, so that no configuration file can replace Redis. */
    record StartedByTest() {
        static final String NAME = "holdfastStartedByTest";
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnBean(StartedByTest.class)
    @ConditionalOnMissingBean(LockClient.class)
    InMemoryLockClient holdfastLockClient(ObjectProvider<LockClientCustomizer> customizers) {
        return InMemoryLockClient.create(
                builder -> customizers.orderedStream().forEach(customizer -> customizer.customize(builder)));
    }

    @Bean
    @ConditionalOnMissingBean(StartedByTest.class)
    @Lazy(false)
    NoTestWarning holdfastNoTestWarning() {
        return new NoTestWarning();
    }

    record NoTestWarning() implements SmartInitializingSingleton {
        @Override
        public void afterSingletonsInstantiated() {
            LogFactory.getLog(InMemoryLockAutoConfiguration.class)
                    .warn(
                            "lock-test is on the class path of an application that no Spring test started. The application"
                                    + " keeps its locks in Redis. Give lock-test the scope test (with Gradle,"
                                    + " testImplementation), or set " + SWITCH + " to false.");
        }
    }
}

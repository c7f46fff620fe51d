package dev.holdfast.lock.spring.board;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.call.LockedMethods;
import dev.holdfast.lock.spring.job.KnownJobs;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.util.function.SingletonSupplier;

/** Auto-configuration for the board of jobs. Without it, a record keeps only the last tick. */
@AutoConfiguration(
        afterName = {
            "dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration",
            "dev.holdfast.lock.spring.job.LockJobAutoConfiguration"
        })
@ConditionalOnBean(name = {LockedMethods.BEAN, KnownJobs.BEAN})
public final class LockBoardAutoConfiguration {

    @Bean
    static OverdueWatch holdfastOverdueWatch(
            ObjectProvider<LockClient> client, KnownJobs known, ObjectProvider<LockPauses> pauses, MissedTicks missed) {
        return new OverdueWatch(SingletonSupplier.of(client::getObject), known, pauses::getIfAvailable, missed);
    }

    @Bean
    @Order(700)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static MissedTicks holdfastMissedTicks(ListableBeanFactory beans) {
        return new MissedTicks(beans);
    }

    @Bean
    @Order(700)
    static RecordedBoard holdfastJobBoard(ObjectProvider<LockClient> client, KnownJobs known) {
        return new RecordedBoard(SingletonSupplier.of(client::getObject), known);
    }

    /** A class of its own, because Micrometer is an optional library. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "io.micrometer.core.instrument.MeterRegistry")
    static class Meters {

        @Bean
        static OverdueMeters holdfastOverdueMeters(KnownJobs known, OverdueWatch watch) {
            return new OverdueMeters(known, watch);
        }
    }
}

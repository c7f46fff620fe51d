package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.call.LockedMethods;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;

/** Auto-configuration for jobs: methods that run once for each tick or deployment, and scheduled runs that have not begun when the application stops. */
@AutoConfiguration(afterName = "dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration")
@ConditionalOnBean(name = LockedMethods.BEAN)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockJobAutoConfiguration {

    @Bean
    @Order(500)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Jobs holdfastJobs(ListableBeanFactory beans, KnownJobs known) {
        // Not created here, because it needs the jobs.
        boolean hasBoard = beans.getBeanNamesForType(JobBoard.class, true, false).length > 0;
        return new Jobs(hasBoard ? known : null, new UnwrittenEnds());
    }

    @Bean(KnownJobs.BEAN)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static KnownJobs holdfastKnownJobs() {
        return new KnownJobs();
    }

    @Bean
    static PendingTicks holdfastPendingTicks(DeclaredLocks declared) {
        return new PendingTicks(declared);
    }
}

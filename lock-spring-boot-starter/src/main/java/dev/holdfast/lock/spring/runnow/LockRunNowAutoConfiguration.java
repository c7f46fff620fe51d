package dev.holdfast.lock.spring.runnow;

import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.call.LockedMethods;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.schedule.FiredTask;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;

/** Auto-configuration for runs of scheduled methods on request. */
@AutoConfiguration(afterName = "dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration")
@ConditionalOnBean(LockedMethods.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockRunNowAutoConfiguration {

    @Bean
    @Order(600)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RunNow holdfastRunNow() {
        return new RunNow();
    }

    @Bean
    static RequestedRuns holdfastRequestedRuns(
            DeclaredLocks declared, ListableBeanFactory beans, ApplicationEventPublisher events) {
        return new RequestedRuns(declared, beans, events);
    }

    static final class RunNow implements LockFeature {
        @Override
        public @Nullable AroundOperation of(LockOperation operation) {
            return Declaration.isScheduled(operation.method())
                    ? call ->
                            FiredTask.purpose(operation.method()) instanceof RequestedRun run ? run.around(call) : null
                    : null;
        }
    }
}

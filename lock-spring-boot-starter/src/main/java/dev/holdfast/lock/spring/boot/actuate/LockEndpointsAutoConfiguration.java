package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the endpoints {@code locks} and {@code jobs}. */
@AutoConfiguration(after = {LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class})
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnSingleCandidate(LockClient.class)
public final class LockEndpointsAutoConfiguration {

    @Bean
    static EndpointErrors holdfastEndpointErrors() {
        return new EndpointErrors();
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean
    LocksEndpoint holdfastLocksEndpoint(
            LockClient client, ObjectProvider<DeclaredLocks> declaredLocks, ApplicationEventPublisher events) {
        return new LocksEndpoint(client, declaredLocks, events);
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean
    JobsEndpoint holdfastJobsEndpoint(ObjectProvider<JobBoard> board, ObjectProvider<LockPauses> pauses) {
        return new JobsEndpoint(board, pauses);
    }
}

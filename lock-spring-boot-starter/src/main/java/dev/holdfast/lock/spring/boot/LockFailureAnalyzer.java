package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.LockStartupException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Explains a failed start. It runs before Spring Boot's analyzers, which would only say that a property could not be bound. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LockFailureAnalyzer extends AbstractFailureAnalyzer<LockStartupException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LockStartupException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}

package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.RedisNotReadyException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Explains why the application does not start with its locks. Before Spring Boot's own analyzers: one of those would explain only that a property
 * could not be bound.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LockFailureAnalyzer implements FailureAnalyzer {

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof LockStartupException startup) {
                return new FailureAnalysis(startup.description, startup.action, startup);
            }
            if (cause instanceof InvalidLockDeclarationException invalid) {
                return new FailureAnalysis(invalid.description(), invalid.action(), invalid);
            }
            if (cause instanceof RedisNotReadyException notReady) {
                return new FailureAnalysis(notReady.description(), notReady.action(), notReady);
            }
        }
        return null;
    }

    /** The application cannot start with its locks as they are configured. Both texts are sentences: what is wrong, and what to do. */
    static final class LockStartupException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final String description;
        private final String action;

        LockStartupException(String description, String action) {
            super(description + " " + action);
            this.description = description;
            this.action = action;
        }
    }
}

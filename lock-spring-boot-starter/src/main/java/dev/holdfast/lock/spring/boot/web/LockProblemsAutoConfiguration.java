package dev.holdfast.lock.spring.boot.web;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.boot.ConditionalOnSwitch;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Auto-configuration for the responses to web requests whose lock is busy or unavailable. */
@AutoConfiguration
@ConditionalOnWebApplication
@ConditionalOnClass(RestControllerAdvice.class)
@ConditionalOnSwitch(LockProblemsAutoConfiguration.SWITCH)
public final class LockProblemsAutoConfiguration {

    /** The property that switches these responses on or off. */
    public static final String SWITCH = "holdfast.web.problem-details";

    @Bean
    @ConditionalOnMissingBean
    LockProblems holdfastLockProblems() {
        return new LockProblems();
    }

    /**
     * Answers web requests whose lock is busy (409) or unavailable (503). The response says when to retry, and does not name the lock, the key or the
     * holder. The application's own handlers come first. A lost lease is not handled here, because the work may be partly done, and a retry is not
     * safe in general.
     */
    @RestControllerAdvice
    @Order(Ordered.LOWEST_PRECEDENCE)
    static final class LockProblems {
        @ExceptionHandler({LockNotAcquiredException.class, LockUnavailableException.class})
        ResponseEntity<ProblemDetail> answer(LockException problem) {
            return problem instanceof LockNotAcquiredException
                    ? answer(HttpStatus.CONFLICT, "1", "Another request is working on this resource. Try again.")
                    : answer(
                            HttpStatus.SERVICE_UNAVAILABLE, "5", "A required service is unavailable. Try again later.");
        }

        private static ResponseEntity<ProblemDetail> answer(HttpStatus status, String retrySeconds, String detail) {
            return ResponseEntity.status(status)
                    .header(HttpHeaders.RETRY_AFTER, retrySeconds)
                    .body(ProblemDetail.forStatusAndDetail(status, detail));
        }
    }
}

package dev.holdfast.lock.sample;

import dev.holdfast.lock.sample.stock.StaleWriteException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * Answers failed requests with problem details. The starter answers requests whose lock is busy (409) or unavailable (503), both with {@code
 * Retry-After}. There is deliberately no handler for {@code Exception}: it would also handle the exceptions of locks, and hide their answers.
 */
@RestControllerAdvice
class ShopProblems extends ResponseEntityExceptionHandler {

    @ExceptionHandler
    ProblemDetail unknown(UnknownItemException problem) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, "There is no '" + problem.item() + "'.");
    }

    @ExceptionHandler
    ProblemDetail stale(StaleWriteException problem) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(problem.getMessage()));
    }
}

package dev.holdfast.lock.sample;

import dev.holdfast.lock.sample.stock.StaleWriteException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * What a caller of the shop gets instead of a result, always as problem details. The starter answers for locks: busy is 409, unavailable is 503,
 * both with {@code Retry-After}. There is no handler for {@code Exception} here: it would answer for locks, too, and hide which answer it was.
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

package dev.holdfast.lock.sample;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.sample.stock.StaleWriteException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What a caller of the shop sees. Of locks: busy, down and stale are three different answers. */
@RestControllerAdvice
class ShopProblems {

    @ExceptionHandler
    ProblemDetail busy(LockNotAcquiredException problem) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.LOCKED, "Somebody else is at it. Try again.");
    }

    @ExceptionHandler
    ProblemDetail down(LockUnavailableException problem) {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE, "Nobody can tell now whether somebody else is at it. Try again later.");
    }

    @ExceptionHandler
    ProblemDetail stale(StaleWriteException problem) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(problem.getMessage()));
    }

    @ExceptionHandler
    ProblemDetail wrong(IllegalArgumentException problem) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.valueOf(problem.getMessage()));
    }
}

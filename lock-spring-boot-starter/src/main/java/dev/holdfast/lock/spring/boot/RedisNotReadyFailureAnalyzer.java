package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.RedisNotReadyException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do where the application must not start without Redis. */
final class RedisNotReadyFailureAnalyzer extends AbstractFailureAnalyzer<RedisNotReadyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RedisNotReadyException cause) {
        return new FailureAnalysis(
                cause.getMessage() + ".",
                "Look whether Redis runs where spring.data.redis.* says, and lets this user in. Or set holdfast.fail-fast to false:"
                        + " the application then starts without Redis and locks work as soon as it is there.",
                cause);
    }
}

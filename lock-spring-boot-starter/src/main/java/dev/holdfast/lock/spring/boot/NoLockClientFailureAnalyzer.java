package dev.holdfast.lock.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do where there are annotated methods and no lock client for them. */
final class NoLockClientFailureAnalyzer extends AbstractFailureAnalyzer<NoLockClientException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, NoLockClientException cause) {
        return new FailureAnalysis(
                cause.getMessage() + ".",
                "One is set up on the application's RedisConnectionFactory: let DataRedisAutoConfiguration make one, with Lettuce on the class"
                        + " path, or define one. Or define a LockClient bean of your own; of several, mark one as @Primary. To run the methods"
                        + " without locks, set holdfast.enabled to false.",
                cause);
    }
}

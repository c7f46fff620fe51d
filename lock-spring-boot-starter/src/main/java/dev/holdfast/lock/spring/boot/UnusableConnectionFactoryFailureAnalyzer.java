package dev.holdfast.lock.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do where the application's Redis cannot be used for locks. */
final class UnusableConnectionFactoryFailureAnalyzer
        extends AbstractFailureAnalyzer<UnusableConnectionFactoryException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnusableConnectionFactoryException cause) {
        return new FailureAnalysis(
                cause.getMessage() + ".",
                cause.action()
                        + ". Or define a LockClient bean of your own, built with RedisLockClient.builder(RedisSource).",
                cause);
    }
}

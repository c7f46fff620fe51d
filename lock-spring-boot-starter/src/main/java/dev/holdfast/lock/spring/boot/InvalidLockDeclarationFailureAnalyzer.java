package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do about an annotation that cannot work. */
final class InvalidLockDeclarationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockDeclarationException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockDeclarationException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.mend() + ".", cause);
    }
}

package dev.holdfast.lock.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do about settings of unknown locks. */
final class UnknownLockNamesFailureAnalyzer extends AbstractFailureAnalyzer<UnknownLockNamesException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnknownLockNamesException cause) {
        return new FailureAnalysis(
                cause.getMessage() + ".",
                "Correct the name or delete the setting. A name with other characters than letters, digits and dashes stands in brackets:"
                        + " holdfast.locks[com.acme.Jobs.report()]. Where only a part of the application is started, as in a"
                        + " test, set holdfast.ignore-unknown-names to true.",
                cause);
    }
}

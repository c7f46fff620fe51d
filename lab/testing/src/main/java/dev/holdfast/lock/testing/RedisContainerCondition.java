package dev.holdfast.lock.testing;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips a test class, with the reason in its report, where {@link RedisContainer} cannot start anything. */
public final class RedisContainerCondition implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (context.getTestMethod().isPresent()) {
            return ConditionEvaluationResult.enabled("decided for the class");
        }
        return RedisContainer.whyNot()
                .map(RedisContainerCondition::skipped)
                .orElseGet(() -> ConditionEvaluationResult.enabled("runs " + RedisContainer.image()));
    }

    private static ConditionEvaluationResult skipped(String reason) {
        System.getLogger(RedisContainer.class.getName())
                .log(System.Logger.Level.INFO, "Container tests are skipped, because {0}", reason);
        return ConditionEvaluationResult.disabled("Skipped, because " + reason);
    }
}

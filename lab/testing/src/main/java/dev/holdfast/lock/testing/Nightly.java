package dev.holdfast.lock.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Marks tests that a build leaves to the night, because they wait for processes or repeat much. They run with {@code -Pnightly}, and in a build that
 * names their class with {@code -Dtest}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Nightly.Night.class)
public @interface Nightly {

    /** What still fails in each build if the product breaks the promise that these tests show. The report of a build says it. */
    String inEachBuild();

    /** Whether this is the nightly build. */
    final class Night implements ExecutionCondition {

        /** Whether a test that repeats something does so more often. */
        public static boolean isOn() {
            return Boolean.getBoolean("nightly");
        }

        /** A seed for a random test: in a build always the same, so that the commit decides the result, and another one each night. */
        public static long seed(long inEachBuild) {
            return isOn() ? System.nanoTime() % 1_000_000 : inEachBuild;
        }

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return AnnotationSupport.findAnnotation(context.getElement(), Nightly.class)
                    .filter(left -> !isOn() && !isNamed(context.getRequiredTestClass()))
                    .map(left -> ConditionEvaluationResult.disabled(
                            "runs with -Pnightly; in each build: " + left.inEachBuild()))
                    .orElseGet(() -> ConditionEvaluationResult.enabled("it is night, or -Dtest names the class"));
        }

        /** Returns whether Surefire was told to run the class. */
        private static boolean isNamed(Class<?> test) {
            return Pattern.compile("\\b" + test.getSimpleName() + "\\b")
                    .matcher(System.getProperty("test", ""))
                    .find();
        }
    }
}

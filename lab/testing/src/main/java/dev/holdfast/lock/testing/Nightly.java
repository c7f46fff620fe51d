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

/**
 * Marks tests that a build leaves to the night, because they wait for processes or repeat much. They run with {@code -Pnightly}, and in a build that names
 * their class with {@code -Dtest}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Nightly.Night.class)
public @interface Nightly {

    /** What still fails in each build if the product breaks the promise that these tests show. The report of a build says it. */
    String inEachBuild();

    /** Whether this is the nightly build. */
    final class Night implements ExecutionCondition {

        private static final boolean ON = Boolean.getBoolean("holdfast.nightly");
        /** Of Surefire. */
        private static final String NAMED = System.getProperty("test", "");

        /** A test that repeats something does so more often then. */
        public static boolean isOn() {
            return ON;
        }

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            if (ON || isNamed(context.getRequiredTestClass())) {
                return ConditionEvaluationResult.enabled("it is night, or -Dtest names the class");
            }
            String instead = context.getElement()
                    .orElseThrow()
                    .getAnnotation(Nightly.class)
                    .inEachBuild();
            return ConditionEvaluationResult.disabled("runs with -Pnightly; in each build: " + instead);
        }

        private static boolean isNamed(Class<?> test) {
            return Pattern.compile("\\b" + test.getSimpleName() + "\\b")
                    .matcher(NAMED)
                    .find();
        }
    }
}

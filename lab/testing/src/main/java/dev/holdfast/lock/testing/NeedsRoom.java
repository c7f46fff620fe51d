package dev.holdfast.lock.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Marks a test of what a room does that is not among the tests of that room. It is skipped in a product without the room. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsRoom.IsThere.class)
public @interface NeedsRoom {

    /** The room's package, without {@code dev.holdfast.lock.}. A whole name would be a name of the room outside of it. */
    String value();

    /** Runs the test if the room's package is in the product. */
    final class IsThere implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return AnnotationSupport.findAnnotation(context.getElement(), NeedsRoom.class)
                    .filter(needed -> !isThere(needed.value()))
                    .map(needed -> ConditionEvaluationResult.disabled("The product has no room " + needed.value()))
                    .orElseGet(() -> ConditionEvaluationResult.enabled("The product has what is tested"));
        }

        /** Returns whether the product has a room. */
        public static boolean isThere(String room) {
            String described = "/dev/holdfast/lock/" + room.replace('.', '/') + "/package-info.class";
            return NeedsRoom.class.getResource(described) != null;
        }
    }
}

package dev.holdfast.lock.spring.boot;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches a boolean property that is true by default. A value that does not bind fails startup. Spring Boot's own condition is not used, because it
 * takes "on" for off.
 */
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnSwitch.OnSwitch.class)
public @interface ConditionalOnSwitch {

    String value();

    /** The value that the property must have. */
    boolean is() default true;

    final class OnSwitch extends SpringBootCondition {
        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            MergedAnnotation<ConditionalOnSwitch> wanted =
                    metadata.getAnnotations().get(ConditionalOnSwitch.class);
            String property = wanted.getString("value");
            boolean on = Binder.get(context.getEnvironment())
                    .bind(property, Boolean.class)
                    .orElse(true);
            return new ConditionOutcome(wanted.getBoolean("is") == on, ConditionMessage.of(property + " is " + on));
        }
    }
}

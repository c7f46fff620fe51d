package dev.holdfast.lock.spring.boot;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Whether annotated methods are locked. They are, unless {@code holdfast.enabled} binds to {@code false}; a value that does not bind fails the start.
 * Boot's own condition compares the text with "true", and so would switch all locks off for "on" and for a slip.
 */
abstract class LocksSwitch extends SpringBootCondition {

    private static final String PROPERTY = LockProperties.PREFIX + ".enabled";

    private final boolean wanted;

    LocksSwitch(boolean wanted) {
        this.wanted = wanted;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean enabled = Binder.get(context.getEnvironment())
                .bind(PROPERTY, Boolean.class)
                .orElse(true);
        return new ConditionOutcome(enabled == wanted, ConditionMessage.of(PROPERTY + " is " + enabled));
    }

    /** Matches where methods are locked. */
    static final class On extends LocksSwitch {
        On() {
            super(true);
        }
    }

    /** Matches where they run without their locks. */
    static final class Off extends LocksSwitch {
        Off() {
            super(false);
        }
    }
}

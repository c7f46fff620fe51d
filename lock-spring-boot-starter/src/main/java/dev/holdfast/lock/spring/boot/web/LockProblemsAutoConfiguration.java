package dev.holdfast.lock.spring.boot.web;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Auto-configuration for the answers to web requests whose lock is busy or unavailable. */
@AutoConfiguration
@ConditionalOnWebApplication
@ConditionalOnClass(RestControllerAdvice.class)
@Conditional(LockProblemsAutoConfiguration.SwitchedOn.class)
public final class LockProblemsAutoConfiguration {

    /** The property that switches the answers off. */
    public static final String SWITCH = "holdfast.web.problem-details";

    /** Binds the value: Boot's own condition compares its text, and would take {@code on} for off. */
    static final class SwitchedOn extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            boolean on = Binder.get(context.getEnvironment())
                    .bind(SWITCH, Boolean.class)
                    .orElse(true);
            return new ConditionOutcome(on, ConditionMessage.of(SWITCH + " is " + on));
        }
    }

    @Bean
    @ConditionalOnMissingBean
    LockProblems holdfastLockProblems() {
        return new LockProblems();
    }
}

package dev.holdfast.lock.spring.boot.web;

import dev.holdfast.lock.spring.boot.ConditionalOnSwitch;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Auto-configuration for the answers to web requests whose lock is busy or unavailable. */
@AutoConfiguration
@ConditionalOnWebApplication
@ConditionalOnClass(RestControllerAdvice.class)
@ConditionalOnSwitch(LockProblemsAutoConfiguration.SWITCH)
public final class LockProblemsAutoConfiguration {

    /** The property that switches the answers off. */
    public static final String SWITCH = "holdfast.web.problem-details";

    @Bean
    @ConditionalOnMissingBean
    LockProblems holdfastLockProblems() {
        return new LockProblems();
    }
}

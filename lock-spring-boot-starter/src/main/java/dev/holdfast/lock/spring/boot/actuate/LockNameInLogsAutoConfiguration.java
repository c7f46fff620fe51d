package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration;
import org.slf4j.MDC;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the name of the lock in log lines, with {@code holdfast.mdc-key}. */
@AutoConfiguration(after = {LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class})
@ConditionalOnClass(MDC.class)
@ConditionalOnProperty("holdfast.mdc-key")
@ConditionalOnSingleCandidate(LockClient.class)
public final class LockNameInLogsAutoConfiguration {

    @Bean
    LockNameInLogs holdfastLockNameInLogs(@Value("${holdfast.mdc-key}") String key) {
        return new LockNameInLogs(key);
    }
}

package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.spring.boot.LockProperties;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the health of locks is judged.
 *
 * @param timeout How long Redis may take to answer before locks count as down.
 * @param lossWindow How long a lost lease keeps the health degraded.
 */
@ConfigurationProperties(LockHealthProperties.PREFIX)
public record LockHealthProperties(
        @DefaultValue("1s") Duration timeout,
        @DefaultValue("5m") Duration lossWindow) {

    static final String PREFIX = LockProperties.PREFIX + ".health";
}

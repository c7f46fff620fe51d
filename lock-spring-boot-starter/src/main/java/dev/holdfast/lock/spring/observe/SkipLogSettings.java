package dev.holdfast.lock.spring.observe;

import dev.holdfast.lock.spring.declaration.FeatureSettings;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** The settings of the log of skips, of one lock or of all. */
interface SkipLogSettings {

    @Nullable
    Boolean logSkips();

    /**
     * The settings of all locks.
     *
     * @param logSkips Whether each call that is skipped, or answered by a fallback, is logged with the lock's holder.
     * @param locks Settings of single locks for the log of skips.
     */
    @ConfigurationProperties("holdfast")
    record OfAll(@Nullable Boolean logSkips, @DefaultValue Map<String, OfLock> locks)
            implements SkipLogSettings, FeatureSettings.Properties {}

    record OfLock(@Nullable Boolean logSkips) implements SkipLogSettings {}
}

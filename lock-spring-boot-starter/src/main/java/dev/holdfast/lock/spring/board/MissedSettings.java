package dev.holdfast.lock.spring.board;

import dev.holdfast.lock.spring.Missed;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.declaration.FeatureSettings;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.annotation.MergedAnnotation;

/** What single locks say about missed ticks. */
record MissedSettings(@Nullable Missed missed) {

    /**
     * The settings of all locks. There is none for all of them together.
     *
     * @param locks Settings of single locks for missed ticks.
     */
    @ConfigurationProperties("holdfast")
    record OfAll(@DefaultValue Map<String, MissedSettings> locks) implements FeatureSettings.Properties {}

    static boolean runsOnce(LockOperation operation) {
        MergedAnnotation<OncePerTick> job = operation.annotation().from(OncePerTick.class);
        Missed declared = job == null ? Missed.SKIP : job.getEnum("missed", Missed.class);
        return operation.ofFeatures().find(MissedSettings.class, MissedSettings::missed, declared) == Missed.RUN_ONCE;
    }
}

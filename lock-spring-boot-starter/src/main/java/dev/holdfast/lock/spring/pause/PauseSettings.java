package dev.holdfast.lock.spring.pause;

import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.FeatureSettings;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.lang.reflect.Method;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** The settings of pauses, of one lock or of all. */
interface PauseSettings {

    @Nullable
    Boolean pausable();

    /**
     * The settings of all locks.
     *
     * @param pausable Whether scheduled methods can be paused on all instances. Each of their runs then asks Redis for pauses.
     * @param locks Settings of single locks for pauses.
     */
    @ConfigurationProperties("holdfast")
    record OfAll(@Nullable Boolean pausable, @DefaultValue Map<String, OfLock> locks)
            implements PauseSettings, FeatureSettings.Properties {}

    record OfLock(@Nullable Boolean pausable) implements PauseSettings {}

    static boolean isPausable(LockOperation operation) {
        return isPausable(operation.settings(), operation.ofFeatures(), operation.method());
    }

    static boolean isPausable(DeclaredLock lock) {
        return isPausable(lock.settings(), lock.ofFeatures(), lock.method());
    }

    /** Returns whether each run asks Redis for pauses. Methods that run without their lock do not. */
    private static boolean isPausable(LockSettings settings, FeatureSettings configured, Method method) {
        // The setting for all locks is for scheduled methods.
        Boolean declared = Declaration.isScheduled(method) ? null : false;
        return Boolean.TRUE.equals(configured.find(PauseSettings.class, PauseSettings::pausable, declared))
                && !Boolean.TRUE.equals(settings.bypass());
    }
}

package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.declaration.LockSettings;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Provides the settings from the properties, after checking them. A name matches if it is equal, or equal without case and punctuation, as in
 * environment variables.
 */
final class PropertyLockSettings implements LockSettings.Source {

    private final LockSettings defaults;
    private final Map<String, LockSettings> byName = new LinkedHashMap<>();
    private final Map<String, LockSettings> byUniformName = new LinkedHashMap<>();

    PropertyLockSettings(LockProperties properties) {
        this(
                new LockSettings(
                        null,
                        properties.waitTime(),
                        properties.leaseTime(),
                        properties.minHold(),
                        properties.maxHold(),
                        properties.onBusy(),
                        properties.onUnavailable(),
                        properties.onLost(),
                        properties.logSkips(),
                        properties.pausable()),
                properties.locks());
        properties.check();
    }

    private PropertyLockSettings(LockSettings defaults, Map<String, LockSettings> locks) {
        LockProperties.check(LockProperties.PREFIX + ".", defaults);
        this.defaults = defaults;
        locks.forEach((name, settings) -> {
            LockProperties.check(propertyOf(name) + ".", settings);
            byName.put(name, settings);
            // Settings from sources of higher precedence come first, so they are kept.
            byUniformName.merge(uniform(name), settings, LockSettings::or);
        });
    }

    /** {@return a copy with the given settings of single locks; the settings for all locks stay the same} */
    PropertyLockSettings with(Map<String, LockSettings> locks) {
        return new PropertyLockSettings(defaults, locks);
    }

    @Override
    public LockSettings defaults() {
        return defaults;
    }

    @Override
    public LockSettings named(String declaredName) {
        LockSettings uniform = byUniformName.getOrDefault(uniform(declaredName), LockSettings.NONE);
        return byName.getOrDefault(declaredName, LockSettings.NONE).or(uniform);
    }

    static boolean isSame(String configuredName, String declaredName) {
        return configuredName.equals(declaredName) || uniform(configuredName).equals(uniform(declaredName));
    }

    static String propertyOf(String name) {
        boolean plain = name.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '-');
        return LockProperties.PREFIX + ".locks" + (plain ? "." + name : "[" + name + "]");
    }

    static String uniform(String name) {
        StringBuilder letters = new StringBuilder(name.length());
        name.chars().filter(Character::isLetterOrDigit).forEach(c -> letters.append((char) c));
        // A name that consists only of punctuation matches only itself.
        return letters.isEmpty() ? name : letters.toString().toLowerCase(Locale.ROOT);
    }
}

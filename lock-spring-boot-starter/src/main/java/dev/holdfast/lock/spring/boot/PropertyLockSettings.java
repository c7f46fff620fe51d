package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.declaration.FeatureSettings;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Provides the settings from the properties, after checking them. A name matches if it is equal, or equal without case and punctuation, as in
 * environment variables.
 *
 * @param ofAll the properties whose settings for all locks apply
 * @param ofLocks the properties whose settings of single locks apply
 */
record PropertyLockSettings(BoundProperties ofAll, BoundProperties ofLocks) implements LockSettings.Source {

    PropertyLockSettings(BoundProperties properties) {
        this(properties, properties);
        properties.ofSpine().check();
    }

    PropertyLockSettings {
        LockProperties.check(LockProperties.PREFIX + ".", ofAll.ofSpine().defaults());
        ofLocks.ofSpine().locks().forEach((name, settings) -> LockProperties.check(propertyOf(name) + ".", settings));
    }

    /** {@return a copy with the given settings of single locks; the settings for all locks stay the same} */
    PropertyLockSettings with(BoundProperties changed) {
        return new PropertyLockSettings(ofAll, changed);
    }

    @Override
    public LockSettings defaults() {
        return ofAll.ofSpine().defaults();
    }

    @Override
    public LockSettings named(String declaredName) {
        return of(declaredName, ofLocks.ofSpine().locks()).reduce(LockSettings.NONE, LockSettings::or);
    }

    @Override
    public FeatureSettings ofFeatures(String declaredName) {
        List<?> ofLock = ofLocks.ofFeatures().stream()
                .flatMap(feature -> of(declaredName, feature.locks()))
                .toList();
        return new FeatureSettings(ofLock, ofAll.ofFeatures());
    }

    /** Returns what belongs to a lock. Its exact name comes first, and then sources of higher precedence. */
    private static <S> Stream<S> of(String declaredName, Map<String, S> locks) {
        return Stream.concat(
                Stream.ofNullable(locks.get(declaredName)),
                locks.entrySet().stream()
                        .filter(entry -> isSame(entry.getKey(), declaredName))
                        .map(Map.Entry::getValue));
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

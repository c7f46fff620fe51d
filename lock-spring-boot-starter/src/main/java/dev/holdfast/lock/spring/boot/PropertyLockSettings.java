package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.declaration.FeatureSettings;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Provides the settings from the properties, after checking them. A name matches if it is equal, or equal without case and punctuation, as in
 * environment variables.
 *
 * @param properties the settings of the spine
 * @param ofFeatures the settings of each feature
 */
record PropertyLockSettings(LockProperties properties, List<FeatureSettings.Properties> ofFeatures)
        implements LockSettings.Source {

    static PropertyLockSettings of(LockProperties properties, Environment environment) {
        Binder binder = Binder.get(environment, new StrictBinding().apply(BindHandler.DEFAULT));
        return new PropertyLockSettings(
                properties,
                FeatureSettings.registered().stream()
                        .<FeatureSettings.Properties>map(
                                type -> binder.bindOrCreate(LockProperties.PREFIX, Bindable.of(type)))
                        .toList());
    }

    PropertyLockSettings {
        properties.check();
        LockProperties.check(LockProperties.PREFIX + ".", properties.defaults());
        properties.locks().forEach((name, settings) -> LockProperties.check(propertyOf(name) + ".", settings));
    }

    /** Returns the names of all locks that have settings. */
    Set<String> lockNames() {
        Set<String> names = new TreeSet<>(properties.locks().keySet());
        ofFeatures.forEach(feature -> names.addAll(feature.locks().keySet()));
        return names;
    }

    @Override
    public LockSettings defaults() {
        return properties.defaults();
    }

    @Override
    public LockSettings named(String declaredName) {
        return of(declaredName, properties.locks()).reduce(LockSettings.NONE, LockSettings::or);
    }

    @Override
    public FeatureSettings ofFeatures(String declaredName) {
        List<?> ofLock = ofFeatures.stream()
                .flatMap(feature -> of(declaredName, feature.locks()))
                .toList();
        return new FeatureSettings(ofLock, ofFeatures);
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

package dev.holdfast.lock.spring.declaration;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.util.ClassUtils;

/**
 * What the configuration says to features about one lock. The spine passes it on and does not interpret it: each element is a feature's own record, and
 * the first one in which a setting is not null decides.
 *
 * @param ofLock the settings of this lock, those with the highest precedence first
 * @param ofAll the settings of all locks
 */
public record FeatureSettings(List<?> ofLock, List<? extends FeatureSettings.Properties> ofAll) {

    /** Settings of which none is set. */
    public static final FeatureSettings NONE = new FeatureSettings(List.of(), List.of());

    /**
     * The properties of one feature: a record that is bound to {@code holdfast.*}. A line in {@code META-INF/spring}, in the file that is named after
     * {@link FeatureSettings}, makes its names known even if the feature is switched off.
     */
    public interface Properties {
        /** {@return the settings of single locks, which are bound to {@code holdfast.locks.<name>.*}; by default, locks have none} */
        default Map<String, ?> locks() {
            return Map.of();
        }
    }

    /** Returns the registered classes of features' properties. A feature that is switched off is among them, because its settings may stay. */
    public static List<Class<? extends Properties>> registered() {
        ClassLoader loader = FeatureSettings.class.getClassLoader();
        return StreamSupport.stream(
                        ImportCandidates.load(FeatureSettings.class, loader).spliterator(), false)
                .<Class<? extends Properties>>map(
                        name -> ClassUtils.resolveClassName(name, loader).asSubclass(Properties.class))
                .toList();
    }

    /**
     * Returns a setting: what the configuration says about the lock, otherwise what the annotation declares, otherwise what the configuration says about
     * all locks.
     *
     * @param type the type of the feature's records that have the setting
     * @param declared what the annotation declares; null if nothing
     */
    public <S, T> @Nullable T find(Class<S> type, Function<S, @Nullable T> setting, @Nullable T declared) {
        return Stream.of(values(ofLock, type, setting), Stream.ofNullable(declared), values(ofAll, type, setting))
                .flatMap(Function.identity())
                .findFirst()
                .orElse(null);
    }

    private static <S, T> Stream<T> values(List<?> records, Class<S> type, Function<S, @Nullable T> setting) {
        return records.stream()
                .filter(type::isInstance)
                .map(type::cast)
                .<@Nullable T>map(setting)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull);
    }
}

package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.declaration.FeatureSettings;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** The properties {@code holdfast.*} of the spine and of each feature, as one state of the environment has them. */
record BoundProperties(LockProperties ofSpine, List<FeatureSettings.Properties> ofFeatures) {

    static BoundProperties read(Environment environment) {
        LockProperties ofSpine =
                binder(environment).bindOrCreate(LockProperties.PREFIX, Bindable.of(LockProperties.class));
        return of(ofSpine, environment);
    }

    static BoundProperties of(LockProperties ofSpine, Environment environment) {
        Binder binder = binder(environment);
        return new BoundProperties(
                ofSpine,
                FeatureSettings.registered().stream()
                        .<FeatureSettings.Properties>map(
                                type -> binder.bindOrCreate(LockProperties.PREFIX, Bindable.of(type)))
                        .toList());
    }

    private static Binder binder(Environment environment) {
        return Binder.get(environment, new StrictBinding().apply(BindHandler.DEFAULT));
    }

    /** Returns the names of all locks that have settings. */
    Set<String> lockNames() {
        Set<String> names = new TreeSet<>(ofSpine.locks().keySet());
        ofFeatures.forEach(feature -> names.addAll(feature.locks().keySet()));
        return names;
    }
}

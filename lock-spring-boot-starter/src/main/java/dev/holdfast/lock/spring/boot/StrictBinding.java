package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.LockStartupException;
import dev.holdfast.lock.spring.interceptor.LockSettings;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;

/** Refuses what Spring Boot accepts: a duration without a unit, and a misspelled setting of a lock, such as its kill switch. */
final class StrictBinding implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of(LockProperties.PREFIX);
    private static final ConfigurationPropertyName HEALTH =
            ConfigurationPropertyName.of("management.health." + LockProperties.PREFIX);
    private static final ConfigurationPropertyName LOCKS = OURS.append("locks");

    /** Not read from the record: a native image may not have its components. */
    static final List<String> LOCK_SETTINGS = List.of(
            "enabled", "lease-time", "max-hold", "min-hold", "on-busy", "on-lost", "on-unavailable", "wait-time");

    @Override
    public BindHandler apply(BindHandler handler) {
        return new Strict(handler);
    }

    private static final class Strict extends AbstractBindHandler {
        Strict(BindHandler parent) {
            super(parent);
        }

        @Override
        public @Nullable Object onSuccess(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
            if (result instanceof Duration && (OURS.isAncestorOf(name) || HEALTH.isAncestorOf(name))) {
                context.getBinder().bind(name, Bindable.of(String.class)).ifBound(text -> check(name, text));
            }
            return super.onSuccess(name, target, context, result);
        }

        @Override
        public void onFinish(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
                throws Exception {
            if (name.equals(OURS)) {
                context.getSources().forEach(Strict::refuseUnknownSettings);
            }
            super.onFinish(name, target, context, result);
        }

        private static void check(ConfigurationPropertyName name, String text) {
            try {
                LockSettings.duration(text);
            } catch (IllegalArgumentException e) {
                throw new LockStartupException(name + ": " + e.getMessage() + ".", LockSettings.DURATIONS + ".", null);
            }
        }

        private static void refuseUnknownSettings(ConfigurationPropertySource source) {
            if (source instanceof IterableConfigurationPropertySource names) {
                names.stream().filter(LOCKS::isAncestorOf).forEach(Strict::refuseUnknown);
            }
        }

        private static void refuseUnknown(ConfigurationPropertyName name) {
            // An environment variable may write wait-time as WAIT_TIME, which comes as two elements.
            String setting = IntStream.range(LOCKS.getNumberOfElements() + 1, name.getNumberOfElements())
                    .mapToObj(i -> name.getElement(i, Form.UNIFORM))
                    .collect(Collectors.joining());
            if (!setting.isEmpty()
                    && LOCK_SETTINGS.stream()
                            .noneMatch(known -> known.replace("-", "").equals(setting))) {
                throw new LockStartupException(
                        name + " is no setting of a lock.",
                        "A lock has these settings: " + String.join(", ", LOCK_SETTINGS) + ".",
                        null);
            }
        }
    }
}

package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.LockStartupException;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Adds to Spring Boot's binding: a duration needs a unit, and a refusal says which settings there are. Variables that Kubernetes sets are no settings: a
 * service called {@code holdfast-locks} has {@code HOLDFAST_LOCKS_PORT}.
 */
final class StrictBinding extends AbstractBindHandler {

    private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of(LockProperties.PREFIX);
    private static final ConfigurationPropertyName HEALTH =
            ConfigurationPropertyName.of("management.health." + LockProperties.PREFIX);
    private static final ConfigurationPropertyName LOCKS = OURS.append("locks");

    /** The parts that follow {@code holdfast} in names that another class, or another module of Holdfast, reads. */
    private static final Set<String> OTHERS = Set.of("integration", "shedlock", "snapshot", "test", "web");

    /** The text that Kubernetes and Docker append to a service's name in variables. */
    private static final Pattern SERVICE_LINK = Pattern.compile(
            "(.+\\.)?(service\\.(host|port(\\..+)?)|port(\\.\\d+\\.(tcp|udp|sctp)(\\.(proto|port|addr))?)?)");

    StrictBinding(BindHandler parent) {
        super(parent);
    }

    @Override
    public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
        return LOCKS.isParentOf(name) && isOnlyServiceLink(name, context) ? null : super.onStart(name, target, context);
    }

    @Override
    public @Nullable Object onSuccess(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        if (result instanceof Duration && (OURS.isAncestorOf(name) || HEALTH.isAncestorOf(name))) {
            context.getBinder().bind(name, Bindable.of(String.class)).ifBound(text -> check(name, text));
        }
        return super.onSuccess(name, target, context, result);
    }

    private static void check(ConfigurationPropertyName name, String text) {
        try {
            LockSettings.duration(text);
        } catch (IllegalArgumentException e) {
            throw new LockStartupException(name + ": " + e.getMessage() + ".", LockSettings.DURATIONS + ".", null);
        }
    }

    @Override
    public @Nullable Object onFailure(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) throws Exception {
        if (LOCKS.isParentOf(name) && error instanceof ConverterNotFoundException) {
            throw new LockStartupException(
                    name + " has a value, but a lock has settings.",
                    "Set one of " + list(LockSettings.class) + ", such as " + name + ".wait-time=5s.",
                    error);
        }
        return super.onFailure(name, target, context, error);
    }

    @Override
    public void onFinish(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
            throws Exception {
        try {
            super.onFinish(name, target, context, result);
        } catch (UnboundConfigurationPropertiesException e) {
            if (!name.equals(OURS)) {
                throw e;
            }
            e.getUnboundProperties().forEach(unbound -> refuse(unbound.getName(), e));
        }
    }

    private static void refuse(ConfigurationPropertyName name, Exception cause) {
        if (LOCKS.isAncestorOf(name)) {
            throw new LockStartupException(
                    name + " is not a setting of a lock.",
                    "A lock has these settings: " + list(LockSettings.class)
                            + ". In the environment, its name has no separators:"
                            + " HOLDFAST_LOCKS_NIGHTLYREPORT_WAITTIME.",
                    cause);
        }
        if (!OTHERS.contains(name.getElement(1, Form.UNIFORM))) {
            throw new LockStartupException(
                    name + " is not a setting of Holdfast.",
                    "Correct or delete it. After 'holdfast', the settings are: " + list(LockProperties.class) + ".",
                    cause);
        }
    }

    /** Returns the names of the settings that a record has. A native image may not have its components. */
    private static Stream<String> settings(Class<?> record) {
        return Stream.of(record.getDeclaredConstructors())
                .flatMap(constructor -> Stream.of(constructor.getParameters()))
                .map(Parameter::getName)
                .map(DataObjectPropertyName::toDashedForm);
    }

    private static String list(Class<?> record) {
        return settings(record).sorted().collect(Collectors.joining(", "));
    }

    private static boolean isOnlyServiceLink(ConfigurationPropertyName name, BindContext context) {
        boolean isOne = false;
        for (ConfigurationPropertySource source : context.getSources()) {
            boolean hasValue = source.getConfigurationProperty(name) != null;
            isOne |= hasValue;
            if (hasValue && !isServiceLink(name, source)) {
                return false;
            }
            if (source instanceof IterableConfigurationPropertySource names
                    && names.stream().anyMatch(each -> name.isAncestorOf(each) && !isServiceLink(each, source))) {
                return false;
            }
        }
        return isOne;
    }

    private static boolean isServiceLink(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource
                && SERVICE_LINK
                        .matcher(IntStream.range(1, name.getNumberOfElements())
                                .mapToObj(i -> name.getElement(i, Form.UNIFORM))
                                .collect(Collectors.joining(".")))
                        .matches();
    }
}

package dev.holdfast.lock.spring.boot;

import static org.springframework.core.env.StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
import static org.springframework.core.env.StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME;

import dev.holdfast.lock.spring.LockStartupException;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
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
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Adds to Spring Boot's binding: a duration needs a unit, and a refusal says which settings there are. A misspelled variable is logged, or refused if it
 * is one of a lock, except those that Kubernetes sets: a service called {@code holdfast-locks} has {@code HOLDFAST_LOCKS_PORT}.
 */
final class StrictBinding implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of(LockProperties.PREFIX);
    private static final ConfigurationPropertyName HEALTH =
            ConfigurationPropertyName.of("management.health." + LockProperties.PREFIX);
    private static final ConfigurationPropertyName LOCKS = OURS.append("locks");

    /** The parts that follow {@code holdfast} in names that another class, or another module of Holdfast, reads. */
    private static final Set<String> OTHERS = Set.of("integration", "shedlock", "snapshot", "test", "web");

    /** The text that Kubernetes and Docker append to a service's name in variables. */
    private static final Pattern SERVICE_LINK = Pattern.compile(
            "(.+\\.)?(service\\.(host|port(\\..+)?)|port(\\.\\d+\\.(tcp|udp|sctp)(\\.(proto|port|addr))?)?)");

    private static final Log LOG = LogFactory.getLog(StrictBinding.class);

    @Override
    public BindHandler apply(BindHandler handler) {
        return new Handler(handler);
    }

    private static final class Handler extends AbstractBindHandler {
        Handler(BindHandler parent) {
            super(parent);
        }

        @Override
        public <T> @Nullable Bindable<T> onStart(
                ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
            return LOCKS.isParentOf(name) && isOnlyServiceLink(name, context)
                    ? null
                    : super.onStart(name, target, context);
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
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                throws Exception {
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
            if (name.equals(OURS)) {
                context.getSources().forEach(Handler::checkOfProcess);
            }
        }

        /** Spring Boot does not check what the environment and system properties set, because others set names there, too. */
        private static void checkOfProcess(ConfigurationPropertySource source) {
            if (isOfProcess(source) && source instanceof IterableConfigurationPropertySource names) {
                names.stream()
                        .filter(name -> OURS.isAncestorOf(name) && !isServiceLink(name, source) && !isKnown(name))
                        .forEach(name -> {
                            if (LOCKS.isAncestorOf(name)) {
                                refuse(name, null);
                            }
                            LOG.warn(name + " is not a setting of Holdfast. It is ignored.");
                        });
            }
        }

        private static boolean isOfProcess(ConfigurationPropertySource source) {
            return source.getUnderlyingSource() instanceof PropertySource<?> properties
                    && Set.of(SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)
                            .contains(properties.getName());
        }

        /** A variable may write wait-time as WAIT_TIME, which has two elements, and the first element of a list as WAIT_TIME_0. */
        private static boolean isKnown(ConfigurationPropertyName name) {
            boolean ofLock = LOCKS.isAncestorOf(name);
            int first = (ofLock ? LOCKS : OURS).getNumberOfElements() + (ofLock ? 1 : 0);
            String setting = IntStream.range(first, name.getNumberOfElements())
                    .mapToObj(i -> name.getElement(i, Form.UNIFORM))
                    .collect(Collectors.joining())
                    .replaceFirst("\\d+$", "");
            return setting.isEmpty()
                    || OTHERS.contains(name.getElement(1, Form.UNIFORM))
                    || settings(ofLock ? LockSettings.class : LockProperties.class)
                            .anyMatch(known -> known.replace("-", "").equals(setting));
        }

        private static void refuse(ConfigurationPropertyName name, @Nullable Exception cause) {
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
}

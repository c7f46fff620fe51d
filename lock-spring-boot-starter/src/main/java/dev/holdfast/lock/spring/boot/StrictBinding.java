package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.LockStartupException;
import dev.holdfast.lock.spring.declaration.FeatureSettings;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses two things that Spring Boot accepts: a duration without a unit, and a misspelled name. A misspelled environment variable is only logged,
 * because others set variables too. For example, a Kubernetes service called {@code holdfast-locks} sets {@code HOLDFAST_LOCKS_PORT}.
 */
final class StrictBinding implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of(LockProperties.PREFIX);
    private static final ConfigurationPropertyName HEALTH =
            ConfigurationPropertyName.of("management.health." + LockProperties.PREFIX);
    private static final ConfigurationPropertyName LOCKS = OURS.append("locks");

    /** The parts that follow {@code holdfast} in names that another class, or another module of Holdfast, binds. */
    private static final Set<String> OTHERS = Set.of("integration", "shedlock", "snapshot", "test", "web");

    /** Settings of modules that not every application has. Without the module, the setting would be ignored, and nothing would be fenced. */
    private static final Map<String, String> OF_MODULES =
            Map.of("fencetable", "lock-fencing", "fencedatasources", "lock-fencing");

    /** The text that Kubernetes and Docker append to a service's name in variables. */
    private static final Pattern SERVICE_LINK = Pattern.compile(
            "(.+\\.)?(service\\.(host|port(\\..+)?)|port(\\.\\d+\\.(tcp|udp|sctp)(\\.(proto|port|addr))?)?)");

    private static final Log log = LogFactory.getLog(StrictBinding.class);

    /**
     * The names of all settings.
     *
     * @param ofAll those of all locks, in the form {@link Form#UNIFORM}
     * @param ofLock those of a single lock
     */
    private record KnownSettings(SortedSet<String> ofAll, SortedSet<String> ofLock) {

        private static final KnownSettings ALL = asked();

        static KnownSettings all() {
            return ALL;
        }

        /** Lets a binder ask for everything. A native image may not have the components of a record. */
        private static KnownSettings asked() {
            KnownSettings known = new KnownSettings(new TreeSet<>(), new TreeSet<>());
            ConfigurationPropertyName anyLock = LOCKS.append("any");
            BindHandler record = new AbstractBindHandler() {
                @Override
                public <T> @Nullable Bindable<T> onStart(
                        ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
                    if (OURS.isParentOf(name)) {
                        known.ofAll.add(name.getLastElement(Form.UNIFORM));
                    } else if (anyLock.isParentOf(name)) {
                        known.ofLock.add(name.getLastElement(Form.DASHED));
                    }
                    return target;
                }
            };
            Binder binder = new Binder(new MapConfigurationPropertySource(
                    Map.of(anyLock.append("any").toString(), "")));
            binder.bindOrCreate(OURS, Bindable.of(LockProperties.class), record);
            FeatureSettings.registered().forEach(type -> binder.bindOrCreate(OURS, Bindable.of(type), record));
            return known;
        }
    }

    @Override
    public BindHandler apply(BindHandler handler) {
        return new StrictDurations(handler);
    }

    private static final class StrictDurations extends AbstractBindHandler {
        StrictDurations(BindHandler parent) {
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

        @Override
        public @Nullable Object onFailure(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                throws Exception {
            if (LOCKS.isParentOf(name) && error instanceof ConverterNotFoundException) {
                if (hasSettings(name, context)) {
                    // The value is a service link beside the settings of another feature.
                    return null;
                }
                throw new LockStartupException(
                        name + " has a value, but a lock has settings.",
                        "Set one of " + String.join(", ", KnownSettings.all().ofLock()) + ", such as " + name
                                + ".wait-time=5s.",
                        error);
            }
            return super.onFailure(name, target, context, error);
        }

        private static boolean hasSettings(ConfigurationPropertyName name, BindContext context) {
            for (ConfigurationPropertySource source : context.getSources()) {
                if (source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public void onFinish(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
                throws Exception {
            // The others are bound one by one, and do not know these names.
            if (target.getType().resolve() == LockProperties.class) {
                context.getSources().forEach(StrictDurations::refuseUnknownSettings);
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
                names.stream()
                        .filter(OURS::isAncestorOf)
                        .filter(name -> !isServiceLink(name, source))
                        .forEach(name -> {
                            if (LOCKS.isAncestorOf(name)) {
                                refuseUnknownOfLock(name, source);
                            } else {
                                refuseUnknown(name, source);
                            }
                        });
            }
        }

        private static void refuseUnknown(ConfigurationPropertyName given, ConfigurationPropertySource source) {
            boolean isElementOfList = given.isNumericIndex(given.getNumberOfElements() - 1);
            ConfigurationPropertyName name = isElementOfList ? given.getParent() : given;
            if (OTHERS.contains(name.getElement(1, Form.UNIFORM))
                    || KnownSettings.all().ofAll().contains(joined(name, 1))) {
                return;
            }
            String module = OF_MODULES.get(joined(name, 1));
            if (module != null) {
                throw new LockStartupException(
                        name + " is a setting of " + module + ", which this application does not have.",
                        "Add the dependency dev.holdfast:" + module + ", or delete the setting.",
                        null);
            }
            String problem = name + " is no setting of Holdfast.";
            if (isOfProcess(source)) {
                log.warn(problem + " It is ignored.");
                return;
            }
            throw new LockStartupException(
                    problem,
                    "Correct or delete it. After 'holdfast' and without dashes, the settings are: "
                            + String.join(", ", KnownSettings.all().ofAll()) + ".",
                    null);
        }

        private static void refuseUnknownOfLock(ConfigurationPropertyName name, ConfigurationPropertySource source) {
            int first = LOCKS.getNumberOfElements() + 1;
            String setting = joined(name, first);
            if (setting.isEmpty() || isLockSetting(setting)) {
                return;
            }
            String action = "A lock has these settings: "
                    + String.join(", ", KnownSettings.all().ofLock()) + ".";
            if (isEnvironment(source)) {
                // In a variable, a separator inside a lock's name looks like a separator between two elements.
                for (int i = first + 1; i < name.getNumberOfElements(); i++) {
                    if (isLockSetting(joined(name, i))) {
                        String lock = joined(name.chop(i), first - 1);
                        action = "In the environment, a lock's name has no separators: HOLDFAST_LOCKS_"
                                + (lock + "_" + joined(name, i)).toUpperCase(Locale.ROOT) + ". " + action;
                        break;
                    }
                }
            }
            throw new LockStartupException(name + " is no setting of a lock.", action, null);
        }

        /** Joins the elements of a name from an index on. A variable may write wait-time as WAIT_TIME, which has two elements. */
        private static String joined(ConfigurationPropertyName name, int from) {
            return IntStream.range(from, name.getNumberOfElements())
                    .mapToObj(i -> name.getElement(i, Form.UNIFORM))
                    .collect(Collectors.joining());
        }

        private static boolean isLockSetting(String setting) {
            return KnownSettings.all().ofLock().stream()
                    .anyMatch(known -> known.replace("-", "").equals(setting));
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
            return isEnvironment(source)
                    && SERVICE_LINK
                            .matcher(IntStream.range(1, name.getNumberOfElements())
                                    .mapToObj(i -> name.getElement(i, Form.UNIFORM))
                                    .collect(Collectors.joining(".")))
                            .matches();
        }

        private static boolean isEnvironment(ConfigurationPropertySource source) {
            return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
        }

        private static boolean isOfProcess(ConfigurationPropertySource source) {
            return isEnvironment(source)
                    || (source.getUnderlyingSource() instanceof PropertySource<?> properties
                            && properties.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME));
        }
    }
}

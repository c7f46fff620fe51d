package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.call.LockedMethod;
import dev.holdfast.lock.spring.call.LockedMethods;
import dev.holdfast.lock.spring.check.OperationCheck;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;

/**
 * Reads the settings of single locks again when Spring Cloud announces a change of the environment. Applies all of them or none: a value that would
 * fail a start changes nothing. The event is recognized by its name, because Spring Cloud is not a dependency.
 */
final class ChangedSettings implements SmartApplicationListener {

    private static final Log log = LogFactory.getLog(ChangedSettings.class);

    private final Environment environment;
    private final ObjectProvider<PropertyLockSettings> settings;
    private final ObjectProvider<LockDeclarationsCheck> check;
    private final ObjectProvider<LockedMethods> methods;
    private final DeclaredLocks declared;

    ChangedSettings(
            Environment environment,
            ObjectProvider<PropertyLockSettings> settings,
            ObjectProvider<LockDeclarationsCheck> check,
            ObjectProvider<LockedMethods> methods,
            DeclaredLocks declared) {
        this.environment = environment;
        this.settings = settings;
        this.check = check;
        this.methods = methods;
        this.declared = declared;
    }

    @Override
    public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
        return type.getName().equals("org.springframework.cloud.context.environment.EnvironmentChangeEvent");
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        try {
            BoundProperties changed = BoundProperties.read(environment);
            check.getObject().checkSettingsAreOfDeclaredLocks(changed.lockNames(), declared);
            report(methods.getObject().apply(settings.getObject().with(changed), declared, this::check));
            if (!changed.ofSpine().enabled()) {
                log.warn("holdfast.enabled takes effect at the next start. To switch off single locks now, set"
                        + " holdfast.locks.<name>.enabled to false.");
            }
        } catch (RuntimeException e) {
            log.error("The environment has changed. All locks keep their settings, because a new one is invalid: "
                    + reason(e));
        }
    }

    private void check(LockedMethod changed) {
        OperationCheck.check(changed);
        changed.locks().forEach(lock -> check.getObject().checkFitsTheGrace(lock.declared()));
    }

    private static void report(Collection<DeclaredLock> changed) {
        Set<String> on = new TreeSet<>();
        Set<String> off = new TreeSet<>();
        changed.forEach(lock -> (Boolean.TRUE.equals(lock.settings().enabled()) ? on : off).add(lock.name()));
        if (!on.isEmpty()) {
            log.info("New settings apply to the next call of these locks: " + String.join(", ", on) + ".");
        }
        if (!off.isEmpty()) {
            log.warn("These locks are switched off, and their methods run without them from now on: "
                    + String.join(", ", off) + ".");
        }
    }

    private static String reason(RuntimeException failure) {
        Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
        return failure.getMessage() + (cause == failure ? "" : ": " + cause.getMessage());
    }
}

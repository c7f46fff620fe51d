package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockKind;
import io.micrometer.observation.Observation;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The context of a lock observation. An application's observation conventions, predicates, filters and handlers read the lock and the method from it.
 */
public final class LockObservationContext extends Observation.Context {

    private final Method method;
    private final String declaredName;
    private final List<String> lockNames;
    private final LockKind kind;

    public LockObservationContext(Method method, String declaredName, List<String> lockNames, LockKind kind) {
        this.method = method;
        this.declaredName = declaredName;
        this.lockNames = List.copyOf(lockNames);
        this.kind = kind;
    }

    /** {@return the annotated method} */
    public Method method() {
        return method;
    }

    /** {@return the name that the annotation declares} An application has few of these names, so it suits a metric. */
    public String declaredName() {
        return declaredName;
    }

    /** {@return the names of the locks in Redis, without the key prefix; one name for each key} These names are too many for a metric. */
    public List<String> lockNames() {
        return lockNames;
    }

    /** {@return the kind of lock} */
    public LockKind kind() {
        return kind;
    }

    /** {@return the evaluated key, several keys separated by commas, or null if the annotation declares no key} */
    public @Nullable String key() {
        List<String> keys = lockNames.stream()
                .filter(name -> name.length() > declaredName.length())
                .map(name -> name.substring(declaredName.length() + 1))
                .toList();
        return keys.isEmpty() ? null : String.join(", ", keys);
    }
}

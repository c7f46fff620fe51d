package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.LockAnnotations;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.declaration.LockOperationParser;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The annotated methods that were called or checked so far, with their locks. */
public final class LockedMethods {

    /** The name of the bean. A feature asks for it by name: a question by type goes through all beans of the application. */
    public static final String BEAN = "holdfastLockedMethods";

    private final List<LockFeature> features;
    private final Set<String> attributes;
    private final ResultHandling.Factory results;
    private volatile Parsed parsed;

    /** Creates the methods of one application. What the features do around a lock is found when its method is parsed, in the order of the list. */
    public LockedMethods(LockOperationParser parser, List<LockFeature> features, ResultHandling.Factory results) {
        this.features = features;
        this.attributes = features.stream()
                .flatMap(feature -> feature.attributes().stream())
                .collect(Collectors.toUnmodifiableSet());
        this.results = results;
        this.parsed = new Parsed(parser, new ConcurrentHashMap<>());
    }

    List<LockFeature> features() {
        return features;
    }

    /** Returns the locks of a method that may be called through an interface or a bridge method. Empty if the method declares none. */
    public Optional<LockedMethod> find(Method method, Class<?> targetClass) {
        return find(parsed, new CalledMethod(method, targetClass));
    }

    /**
     * Applies changed settings to all later calls, or to none if they are invalid. A call that has begun keeps its settings.
     *
     * @param check refuses a method whose new settings do not go together
     * @return the locks whose settings have changed
     * @throws InvalidLockDeclarationException if a method cannot have its settings
     */
    public synchronized Collection<DeclaredLock> apply(
            LockSettings.Source settings, DeclaredLocks declared, Consumer<LockedMethod> check) {
        Parsed before = parsed;
        Parsed after = new Parsed(before.parser().with(settings), new ConcurrentHashMap<>());
        Map<DeclaredLock, DeclaredLock> changes = new LinkedHashMap<>();
        before.methods()
                .forEach((called, found) -> found.ifPresent(locked -> {
                    LockedMethod changed = find(after, called).orElseThrow();
                    for (int i = 0; i < locked.locks().size(); i++) {
                        LockedOperation old = locked.locks().get(i);
                        changed.locks().get(i).checkReplaces(old);
                        changes.put(old.declared(), changed.locks().get(i).declared());
                    }
                    check.accept(changed);
                }));
        changes.entrySet().removeIf(change -> change.getKey().equals(change.getValue()));
        parsed = after;
        declared.replace(changes);
        return changes.values();
    }

    private Optional<LockedMethod> find(Parsed known, CalledMethod called) {
        // The map is read first, because it may lock to compute a value.
        Optional<LockedMethod> found = known.methods().get(called);
        return found == null
                ? known.methods().computeIfAbsent(called, one -> read(known.parser(), one.method(), one.targetClass()))
                : found;
    }

    private Optional<LockedMethod> read(LockOperationParser parser, Method method, Class<?> targetClass) {
        Method specific = LockAnnotations.specific(method, targetClass);
        List<LockOperation> operations = parser.parse(specific, targetClass);
        operations.forEach(operation -> operation.annotation().checkIsRead(attributes));
        return operations.isEmpty()
                ? Optional.empty()
                : Optional.of(LockedMethod.of(specific, results.of(specific, targetClass), operations, features));
    }

    private record CalledMethod(Method method, Class<?> targetClass) {}

    /** The methods that were parsed so far, with one state of the configuration. */
    private record Parsed(LockOperationParser parser, ConcurrentMap<CalledMethod, Optional<LockedMethod>> methods) {}
}

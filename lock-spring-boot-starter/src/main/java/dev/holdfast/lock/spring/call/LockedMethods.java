package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.spring.declaration.LockAnnotations;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.declaration.LockOperationParser;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;

/** The annotated methods that were called or checked so far, with their locks. */
public final class LockedMethods {

    /** The name of the bean. A feature asks for it by name: a question by type goes through all beans of the application. */
    public static final String BEAN = "holdfastLockedMethods";

    private final List<LockFeature> features;
    private final Set<String> attributes;
    private final ResultHandling.Factory results;
    private final LockOperationParser parser;
    private final ConcurrentMap<CalledMethod, Optional<LockedMethod>> methods = new ConcurrentHashMap<>();

    /** Creates the methods of one application. What the features do around a lock is found when its method is parsed, in the order of the list. */
    public LockedMethods(LockOperationParser parser, List<LockFeature> features, ResultHandling.Factory results) {
        this.features = features;
        this.attributes = features.stream()
                .flatMap(feature -> feature.attributes().stream())
                .collect(Collectors.toUnmodifiableSet());
        this.results = results;
        this.parser = parser;
    }

    List<LockFeature> features() {
        return features;
    }

    /** Returns the locks of a method that may be called through an interface or a bridge method. Empty if the method declares none. */
    public Optional<LockedMethod> find(Method method, Class<?> targetClass) {
        CalledMethod called = new CalledMethod(method, targetClass);
        // The map is read first, because it may lock to compute a value.
        Optional<LockedMethod> found = methods.get(called);
        return found == null ? methods.computeIfAbsent(called, one -> read(one.method(), one.targetClass())) : found;
    }

    private Optional<LockedMethod> read(Method method, Class<?> targetClass) {
        Method specific = LockAnnotations.specific(method, targetClass);
        List<LockOperation> operations = parser.parse(specific, targetClass);
        operations.forEach(operation -> operation.annotation().checkIsRead(attributes));
        return operations.isEmpty()
                ? Optional.empty()
                : Optional.of(LockedMethod.of(specific, results.of(specific, targetClass), operations, features));
    }

    private record CalledMethod(Method method, Class<?> targetClass) {}
}

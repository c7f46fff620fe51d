package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.spring.declaration.LockAnnotations;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.declaration.LockOperationParser;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The annotated methods that were called or checked so far, with their locks. */
public final class KnownMethods {

    private final List<? extends Function<LockOperation, @Nullable LockFeature>> features;
    private final Results results = new Results();
    private final LockOperationParser parser;
    private final ConcurrentMap<CalledMethod, Optional<LockedMethod>> methods = new ConcurrentHashMap<>();

    /**
     * Creates the methods of one application.
     *
     * @param features return what they do around a lock, null if nothing. They are asked when its method is parsed, in this order
     */
    public KnownMethods(
            LockOperationParser parser, List<? extends Function<LockOperation, @Nullable LockFeature>> features) {
        this.features = features;
        this.parser = parser;
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
        return operations.isEmpty()
                ? Optional.empty()
                : Optional.of(LockedMethod.of(specific, results.of(specific, targetClass), operations, features));
    }

    private record CalledMethod(Method method, Class<?> targetClass) {}
}

package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;

/** The annotated methods: each one's annotations are read at the first look, and once. */
final class GuardedMethods {

    private final LockOperationParser parser;
    private final ConcurrentMap<Place, Optional<GuardedMethod>> known = new ConcurrentHashMap<>();

    GuardedMethods(LockOperationParser parser) {
        this.parser = parser;
    }

    private record Place(Method method, Class<?> targetClass) {}

    /**
     * A method as it is called, perhaps through an interface or a bridge.
     *
     * @return empty where no annotation asks for a lock
     * @throws InvalidLockDeclarationException if one does that cannot work
     */
    Optional<GuardedMethod> find(Method method, Class<?> targetClass) {
        Place place = new Place(method, targetClass);
        Optional<GuardedMethod> found = known.get(place);
        return found == null ? known.computeIfAbsent(place, this::read) : found;
    }

    private Optional<GuardedMethod> read(Place place) {
        Method specific = AopUtils.getMostSpecificMethod(place.method(), place.targetClass());
        List<MergedAnnotation<DistributedLock>> annotations = LockAnnotations.of(specific, place.targetClass());
        if (annotations.isEmpty()) {
            return Optional.empty();
        }
        List<LockOperation> operations = annotations.stream()
                .map(annotation -> parser.parse(annotation, specific, place.targetClass()))
                .toList();
        return Optional.of(GuardedMethod.of(specific, operations));
    }
}

package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.LockStartupException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/** The declaration of a fenced entity: its version, and the lock that protects it. The key is null if the lock's key is no field of the entity. */
record FencedType(Field version, String lockName, @Nullable Field key) {

    private static final ClassValue<Optional<FencedType>> PARSED = new ClassValue<>() {
        @Override
        protected Optional<FencedType> computeValue(Class<?> type) {
            return Optional.ofNullable(parse(type));
        }
    };

    /** {@return the declaration of a class or of its superclasses, empty if they have none} */
    static Optional<FencedType> of(Class<?> type) {
        return PARSED.get(type);
    }

    private static @Nullable FencedType parse(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        ReflectionUtils.doWithFields(type, fields::add);
        List<Field> annotated = fields.stream()
                .filter(field -> field.isAnnotationPresent(FencedBy.class))
                .toList();
        if (annotated.isEmpty()) {
            return null;
        }
        Field version = annotated.get(0);
        if (annotated.size() > 1) {
            throw invalid(
                    version,
                    type.getName() + " has a second one, '" + annotated.get(1).getName() + "', but one version",
                    "Keep one. To fence with several locks, use one entity for each, or one lock over both");
        }
        if (Modifier.isStatic(version.getModifiers())) {
            throw invalid(version, "a static field is not stored", "Make it a field of the entity");
        }
        if (version.getType() != Long.class) {
            throw invalid(
                    version,
                    "a token needs 64 bits, and a version that is not yet stored is null, so the type cannot be "
                            + version.getType().getTypeName(),
                    "Declare it as Long, and its column as 'bigint not null default 0'");
        }
        MergedAnnotation<FencedBy> declared = MergedAnnotations.from(version).get(FencedBy.class);
        String name = declared.getString("name");
        if (name.isBlank() || name.contains("${")) {
            throw invalid(
                    version,
                    name.isBlank() ? "it names no lock" : "placeholders are not resolved in '" + name + "'",
                    "Write the name that @DistributedLock declares, for example @FencedBy(name = \"stock\")");
        }
        return new FencedType(version, name, key(version, declared.getString("key"), fields));
    }

    private static @Nullable Field key(Field version, String key, List<Field> fields) {
        if (key.isEmpty()) {
            return null;
        }
        Field field = fields.stream()
                .filter(each -> each.getName().equals(key))
                .findFirst()
                .orElseThrow(() -> invalid(
                        version,
                        "the entity has no field '" + key + "', which 'key' names",
                        "Write the name of a field, without '#' and without dots"));
        if (hasNoText(field.getType())) {
            throw invalid(
                    version,
                    "its key '" + key + "' is a " + field.getType().getTypeName()
                            + ", which has no toString(), so it names no lock",
                    "Give it a toString() that is the same on all instances, or name another field");
        }
        ReflectionUtils.makeAccessible(field);
        return field;
    }

    /** A value of an interface or an abstract class may have one. */
    private static boolean hasNoText(Class<?> type) {
        Method text = ReflectionUtils.findMethod(type, "toString");
        boolean open = type.isInterface() || type == Object.class || Modifier.isAbstract(type.getModifiers());
        return !open && text != null && text.getDeclaringClass() == Object.class;
    }

    static LockStartupException invalid(Field field, String problem, String action) {
        String place = field.getDeclaringClass().getName() + "." + field.getName();
        return new LockStartupException("@FencedBy on " + place + ": " + problem + ".", action + ".", null);
    }

    /** {@return the token for a new row, empty if it is inserted without the lock} Allowed, because no row has seen a token yet. */
    OptionalLong tokenForInsert(Object entity) {
        return lockOf(entity).fencingToken();
    }

    /**
     * Returns the token to write over a stored one, or to delete with.
     *
     * @throws IllegalStateException if the running code does not hold the lock
     */
    long token(Object entity) {
        ProtectingLock lock = lockOf(entity);
        return lock.fencingToken()
                .orElseThrow(() -> new IllegalStateException(entity.getClass().getName()
                        + " is written without the lock '" + lock
                        + "', which its @FencedBy needs. Locks held here: "
                        + ProtectingLock.heldNames()
                        + ". Write it in a method with @DistributedLock of that name and key, flush before the lock is"
                        + " released, or use an update query for a write that needs no lock"));
    }

    /** Returns why a write is refused. */
    String refusal(Object entity, long token, long stored) {
        return StaleHolder.refusal(lockOf(entity).toString(), token, stored);
    }

    private ProtectingLock lockOf(Object entity) {
        if (key == null) {
            return new ProtectingLock(lockName, null);
        }
        try {
            return ProtectingLock.of(lockName, ReflectionUtils.getField(key, entity));
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "The lock of " + entity.getClass().getName() + " has no name: its field '" + key.getName() + "' "
                            + e.getMessage(),
                    e);
        }
    }
}

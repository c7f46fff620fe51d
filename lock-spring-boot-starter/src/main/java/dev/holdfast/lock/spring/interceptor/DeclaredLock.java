package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * A lock that an annotation declares.
 *
 * @param name its declared name
 * @param kind its kind
 * @param key the expression that tells the locks of that name apart, null where the name is one lock
 * @param settings what holds for it once configuration, annotation and defaults are laid over each other; where nothing is said of a
 *     time it is null
 * @param method the annotated method
 */
public record DeclaredLock(
        String name, LockKind kind, @Nullable String key, LockSettings settings, Method method) {}

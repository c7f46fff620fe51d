package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import java.lang.reflect.Method;
import java.util.List;

/**
 * One lock of one call, as listeners see it.
 *
 * @param method the annotated method
 * @param declaredName the lock's declared name, of which there are few
 * @param lockNames the locks' names in Redis without the client's prefix, one unless {@code keys} gave several; of these there may be many
 * @param kind the kind of lock
 */
public record LockCall(Method method, String declaredName, List<String> lockNames, LockKind kind) {}

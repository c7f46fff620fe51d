package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockNotAcquiredException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call whose lock could not be acquired within the wait time.
 *
 * @param declaredName the lock's declared name
 * @param method the annotated method
 * @param target the object behind the proxy
 * @param arguments the call's arguments
 * @param busy the lock, and its holder and remaining lease if they are known
 */
public record BusyCall(
        String declaredName,
        Method method,
        @Nullable Object target,
        List<@Nullable Object> arguments,
        LockNotAcquiredException busy) {

    /** Creates the call with a copy of the arguments. */
    public BusyCall {
        arguments = Collections.unmodifiableList(new ArrayList<>(arguments));
    }
}

package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

/**
 * An annotated method: its locks, and how its kind of result is guarded. Found out once.
 *
 * @param method the method of the target's class
 * @param operations its locks; at least one
 * @param results how its result is guarded
 * @param leaseParameter the place of the first parameter of type {@link Lease}, -1 without one
 */
record LockedMethod(Method method, List<LockOperation> operations, ResultHandling results, int leaseParameter) {

    static LockedMethod of(Method method, List<LockOperation> operations) {
        int leaseParameter = Arrays.asList(method.getParameterTypes()).indexOf(Lease.class);
        return new LockedMethod(method, List.copyOf(operations), ResultHandling.of(method), leaseParameter);
    }
}

package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.OnBusy;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One lock of an annotated method, parsed from its annotation once. The key is null if all calls use one lock. No policy is null.
 * The number of permits is 0 if the lock is not a semaphore.
 */
public record LockOperation(
        LockAnnotation annotation,
        String name,
        @Nullable KeyExpression key,
        LockKind kind,
        int permits,
        LockSettings settings,
        AcquireOptions options,
        boolean awaitsRelease,
        @Nullable Fallback fallback) {

    public Method method() {
        return annotation.method();
    }

    public String signature() {
        return Declaration.signature(method());
    }

    /** Returns the names in Redis that a call needs, without the client's prefix. */
    public List<String> lockNames(@Nullable Object target, @Nullable Object[] arguments) {
        return key == null
                ? List.of(name)
                : key.evaluate(target, arguments).stream()
                        .map(one -> name + ":" + one)
                        .toList();
    }

    /** Returns whether a busy lock skips the call. Such a call does not need to know the holder. */
    public boolean skipsBusy() {
        return fallback == null && settings.onBusy() == OnBusy.SKIP;
    }

    /** Returns whether a call waits for a busy lock. */
    public boolean waits() {
        return !options.givenWait().equals(Optional.of(Duration.ZERO));
    }
}

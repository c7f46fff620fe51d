package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.interceptor.DeclaredLock;
import dev.holdfast.lock.spring.interceptor.LockSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The locks of this instance.
 *
 * @param held the leases that it holds
 * @param waiting the callers that wait, the longest first; at most a thousand
 * @param declared the locks that annotations declare, with their effective settings
 */
public record LocksReport(List<Held> held, List<Waiting> waiting, List<Declared> declared) {

    /**
     * A lease that this instance holds.
     *
     * @param name the lock's name; several that are one lock are shown together, as in {@code [a, b]}
     * @param declaredName the name that an annotation declares, if it is such a lock
     * @param key what follows the declared name, if anything does and it is one lock
     * @param kind its kind
     * @param fencingToken the lease's token, as text: JavaScript rounds numbers of this size
     * @param since when it was acquired, by this machine's clock
     * @param remaining how long the lease stays valid if no further renewal succeeds
     * @param renewed whether it is renewed
     * @param thread the thread that acquired it
     * @param waiters the number of callers in this instance that wait for it
     * @param acquiredAt where it was acquired, if the client records that
     */
    public record Held(
            String name,
            @Nullable String declaredName,
            @Nullable String key,
            LockKind kind,
            String fencingToken,
            Instant since,
            Duration remaining,
            boolean renewed,
            String thread,
            int waiters,
            List<String> acquiredAt) {

        static Held of(HeldLock lock, @Nullable String declaredName) {
            return new Held(
                    lock.lockName(),
                    declaredName,
                    keyOf(lock.lockName(), declaredName),
                    lock.kind(),
                    Long.toString(lock.fencingToken()),
                    Instant.now().minus(lock.held()),
                    lock.remaining(),
                    lock.renewed(),
                    lock.thread(),
                    lock.waitersHere(),
                    lock.acquiredAt().stream().map(StackTraceElement::toString).toList());
        }
    }

    /**
     * A caller that waits in this instance, with or without the annotation.
     *
     * @param name the lock's name; several that are one lock are shown together, as in {@code [a, b]}
     * @param declaredName the name that an annotation declares, if it is such a lock
     * @param key what follows the declared name, if anything does and it is one lock
     * @param kind its kind
     * @param since since when it waits, by this machine's clock
     * @param thread the thread that asked
     */
    public record Waiting(
            String name,
            @Nullable String declaredName,
            @Nullable String key,
            LockKind kind,
            Instant since,
            String thread) {

        static Waiting of(WaitingLock lock, @Nullable String declaredName) {
            return new Waiting(
                    lock.lockName(),
                    declaredName,
                    keyOf(lock.lockName(), declaredName),
                    lock.kind(),
                    Instant.now().minus(lock.waited()),
                    lock.thread());
        }
    }

    /**
     * A declared lock. For a time that is null, the default of the client applies.
     *
     * @param name the declared name
     * @param kind its kind
     * @param key the expression of its key
     * @param method the method that declares it
     * @param enabled whether calls acquire it
     * @param waitTime the maximum wait
     * @param leaseTime the length of the lease; without one the lease is renewed
     * @param minHold the minimum hold time
     * @param maxHold the maximum hold time
     * @param onBusy what to do when the lock is busy
     * @param onUnavailable what to do when Redis is unavailable
     * @param onLost what to do when the lease is lost
     */
    public record Declared(
            String name,
            LockKind kind,
            @Nullable String key,
            String method,
            @Nullable Boolean enabled,
            @Nullable Duration waitTime,
            @Nullable Duration leaseTime,
            @Nullable Duration minHold,
            @Nullable Duration maxHold,
            @Nullable OnBusy onBusy,
            @Nullable OnUnavailable onUnavailable,
            @Nullable OnLost onLost) {

        static Declared of(DeclaredLock lock) {
            LockSettings settings = lock.settings();
            return new Declared(
                    lock.name(),
                    lock.kind(),
                    lock.key(),
                    lock.method().getDeclaringClass().getSimpleName() + "."
                            + lock.method().getName(),
                    settings.enabled(),
                    settings.waitTime(),
                    settings.leaseTime(),
                    settings.minHold(),
                    settings.maxHold(),
                    settings.onBusy(),
                    settings.onUnavailable(),
                    settings.onLost());
        }
    }

    /** A name that starts with a bracket is that of several locks. */
    private static @Nullable String keyOf(String lockName, @Nullable String declaredName) {
        return declaredName == null || !lockName.startsWith(declaredName + ":")
                ? null
                : lockName.substring(declaredName.length() + 1);
    }
}

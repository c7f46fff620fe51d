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
 * @param held what it holds
 * @param waiting who waits here, those who have waited longest first; a thousand at the most
 * @param declared what annotations declare, with the settings that hold
 */
public record LocksReport(List<Held> held, List<Waiting> waiting, List<Declared> declared) {

    /**
     * A lease that is held here.
     *
     * @param name the lock's name; several that are one lock are shown together, as in {@code [a, b]}
     * @param declaredName the name that an annotation declares, if it is such a lock
     * @param key what follows the declared name, if anything does and it is one lock
     * @param kind its kind
     * @param fencingToken the lease's token
     * @param since when it was acquired, by this machine's clock
     * @param remaining how long the lease stays valid if no further renewal succeeds
     * @param renewed whether it is renewed
     * @param thread who acquired it
     * @param waiters how many wait for it here
     * @param acquiredAt where it was acquired, if the client records that
     */
    public record Held(
            String name,
            @Nullable String declaredName,
            @Nullable String key,
            LockKind kind,
            long fencingToken,
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
                    lock.fencingToken(),
                    Instant.now().minus(lock.held()),
                    lock.remaining(),
                    lock.renewed(),
                    lock.thread(),
                    lock.waitersHere(),
                    lock.acquiredAt().stream().map(StackTraceElement::toString).toList());
        }
    }

    /**
     * A caller that waits here, through the annotation or by hand.
     *
     * @param name the lock's name; several that are one lock are shown together, as in {@code [a, b]}
     * @param declaredName the name that an annotation declares, if it is such a lock
     * @param key what follows the declared name, if anything does and it is one lock
     * @param kind its kind
     * @param since when it was asked for, by this machine's clock
     * @param thread who asked
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
     * A declared lock; where a time is missing the client's own holds.
     *
     * @param name the declared name
     * @param kind its kind
     * @param key the expression that tells the locks of that name apart
     * @param method the method that declares it
     * @param enabled whether it is taken at all
     * @param waitTime how long a call waits
     * @param leaseTime the lease's length; without one it is renewed
     * @param minHold how long it stays taken at least
     * @param maxHold how long it is held at the most
     * @param onBusy what becomes of a call that did not get it
     * @param onUnavailable what becomes of a call when Redis could not be asked
     * @param onLost what becomes of a call whose lease is lost
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

    /** A name that begins otherwise is that of several locks. */
    private static @Nullable String keyOf(String lockName, @Nullable String declaredName) {
        return declaredName == null || !lockName.startsWith(declaredName + ":")
                ? null
                : lockName.substring(declaredName.length() + 1);
    }
}

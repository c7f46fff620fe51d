package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The locks of this instance. Waiting calls are sorted by their wait, the longest first, and there are at most a thousand. Fencing tokens are text,
 * because JavaScript would round the numbers.
 */
record LocksReport(List<Held> held, List<Waiting> waiting, List<Map<String, @Nullable Object>> declared) {

    /** A lease that this instance holds. The key is null if the lock has several names. */
    record Held(
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

    record Waiting(
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

    /** Returns a declared lock. If a duration is null, the client's default applies. A fallback replaces {@code onBusy}. */
    static Map<String, @Nullable Object> declared(DeclaredLock lock) {
        LockSettings settings = lock.settings();
        Map<String, @Nullable Object> declared = new LinkedHashMap<>();
        declared.put("name", lock.name());
        declared.put("kind", lock.kind());
        declared.put("key", lock.key());
        declared.put("method", method(lock));
        declared.put("bypass", settings.bypass());
        declared.put("waitTime", settings.waitTime());
        declared.put("leaseTime", settings.leaseTime());
        declared.put("minHold", settings.minHold());
        declared.put("maxHold", settings.maxHold());
        declared.put("onBusy", lock.fallback() == null ? settings.onBusy() : null);
        declared.put("fallback", lock.fallback() != null);
        declared.put("onUnavailable", settings.onUnavailable());
        declared.put("onLost", settings.onLost());
        return declared;
    }

    static String method(DeclaredLock lock) {
        return lock.method().getDeclaringClass().getSimpleName() + "."
                + lock.method().getName();
    }

    /** The state of one lock in Redis, whichever instance or library holds it. Shows at most 20 holders and 20 places of its queue. */
    record LockReport(
            String name,
            boolean held,
            @Nullable LockKind kind,
            List<HolderReport> holders,
            List<String> queue,
            @Nullable Duration remaining,
            int waitersHere,
            int holderCount,
            int queueLength) {
        record HolderReport(
                String owner,
                @Nullable String client,
                @Nullable Long thread,
                int holds,
                @Nullable String fencingToken,
                @Nullable Instant since) {

            static HolderReport of(Holder holder) {
                return new HolderReport(
                        holder.owner(),
                        holder.clientName(),
                        holder.thread().stream().boxed().findFirst().orElse(null),
                        holder.holds(),
                        holder.fencingToken().stream()
                                .mapToObj(Long::toString)
                                .findFirst()
                                .orElse(null),
                        holder.since());
            }
        }

        static LockReport free(String name) {
            return new LockReport(name, false, null, List.of(), List.of(), null, 0, 0, 0);
        }

        static LockReport of(LockState state) {
            return new LockReport(
                    state.lockName(),
                    true,
                    state.kind(),
                    state.holders().stream().map(HolderReport::of).toList(),
                    state.queue(),
                    state.remaining(),
                    state.waitersHere(),
                    state.holderCount(),
                    state.queueLength());
        }
    }

    /** Returns the key; null if the lock's name starts with a bracket, because such a lock has several names. */
    private static @Nullable String keyOf(String lockName, @Nullable String declaredName) {
        return declaredName == null || !lockName.startsWith(declaredName + ":")
                ? null
                : lockName.substring(declaredName.length() + 1);
    }
}

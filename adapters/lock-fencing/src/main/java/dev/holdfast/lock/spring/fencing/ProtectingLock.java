package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.call.CallerContext;
import dev.holdfast.lock.spring.call.SharedLease;
import dev.holdfast.lock.spring.declaration.KeyExpression;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The lock that a write needs. The key is null if any lock of the name protects the write. */
record ProtectingLock(String name, @Nullable String key) {

    /** Returns the lock with the key that an annotated call has if its expression has this value. */
    static ProtectingLock of(String name, @Nullable Object keyValue) {
        return new ProtectingLock(name, KeyExpression.textOf(keyValue, false));
    }

    /**
     * Returns the fencing token of the lease under which the running code holds this lock. A lock that a transaction keeps after its method has
     * returned is held. The lease may be lost already, so only the token shows whether a later holder has written.
     *
     * @return empty if the running code does not hold the lock
     * @throws IllegalStateException if there are several leases to choose from, or if the lock is shared with other holders
     */
    OptionalLong fencingToken() {
        List<SharedLease> held = CallerContext.current().held().stream()
                .filter(shared -> shared.names().stream().anyMatch(this::matches))
                .toList();
        if (held.isEmpty()) {
            return ofEntered(LockContext.all().stream()
                    .filter(lease -> matches(lease.lockName()))
                    .toList());
        }
        List<SharedLease> exclusive =
                held.stream().filter(SharedLease::isExclusive).toList();
        if (exclusive.isEmpty()) {
            throw isShared(held.get(0).call().operation().kind());
        }
        // A call inside may have acquired the lock again after the outer lease was lost. The inner one comes first.
        SharedLease innermost = exclusive.get(0);
        if (exclusive.stream().anyMatch(other -> !other.names().equals(innermost.names()))) {
            throw several();
        }
        return OptionalLong.of(innermost.lease().fencingToken());
    }

    /** Returns the token of a lease that the code has acquired and entered itself, the innermost one of a lock first. */
    private OptionalLong ofEntered(List<Lease> entered) {
        for (Lease lease : entered) {
            if (!lease.kind().isExclusive()) {
                throw isShared(lease.kind());
            }
        }
        if (entered.stream().map(Lease::lockName).distinct().count() > 1) {
            throw several();
        }
        return entered.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(entered.get(0).fencingToken());
    }

    private IllegalStateException isShared(LockKind kind) {
        return new IllegalStateException("The lock '" + this + "' is held as " + kind
                + ", which others hold at the same time. A fenced write needs a lock that has one holder");
    }

    private IllegalStateException several() {
        return new IllegalStateException("Several locks '" + name + "' are held: " + heldNames()
                + ". Set 'key' of @FencedBy to the field that has the lock's key");
    }

    private boolean matches(String lockName) {
        return key == null ? lockName.equals(name) || lockName.startsWith(name + ":") : lockName.equals(toString());
    }

    /** Returns the names of the locks that the running code holds, for messages. */
    static String heldNames() {
        String names = Stream.concat(
                        CallerContext.current().held().stream().flatMap(shared -> shared.names().stream()),
                        LockContext.all().stream().map(Lease::lockName))
                .distinct()
                .map(each -> "'" + each + "'")
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "none" : names;
    }

    @Override
    public String toString() {
        return key == null ? name : name + ":" + key;
    }
}

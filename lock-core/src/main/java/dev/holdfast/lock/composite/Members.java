package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.internal.thread.CallbackThreads;
import dev.holdfast.lock.internal.thread.MemberLock;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** How a composite lock asks its members. Locks of this library answer on its own threads, others on the threads of their callers' code. */
final class Members {

    /** For composite locks whose first member is another library's. */
    private static final ThreadHolds<CompositeLease> HOLDS = new ThreadHolds<>();

    private Members() {}

    static CompletableFuture<? extends Lease> acquire(LeaseLock member, AcquireOptions whole, Duration wait) {
        try {
            AcquireOptions options = options(member, whole).waitAtMost(wait);
            if (member instanceof MemberLock lock) {
                return lock.acquireAsMember(options);
            }
            if (member instanceof CompositeLock lock) {
                return lock.begin(options, Deadline.in(wait));
            }
            return member.acquireAsync(options).toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** What each member is asked for. */
    private static AcquireOptions options(LeaseLock member, AcquireOptions whole) {
        AcquireOptions options = AcquireOptions.defaults();
        if (whole.givenLease().isPresent()) {
            Duration lease = whole.givenLease().get();
            // If Redis does not keep the minimum hold, the lease has to last for it.
            boolean tooShort = !keepsMinHold(member) && lease.compareTo(whole.minHold()) < 0;
            options = options.lease(tooShort ? whole.minHold() : lease);
            if (whole.isRenewed()) {
                options = options.renewed();
            }
        }
        if (keepsMinHold(member)) {
            options = options.minHold(whole.minHold());
        }
        if (whole.givenMaxHold().isPresent()) {
            options = options.maxHold(whole.givenMaxHold().get());
        }
        if (whole.boundThread().isPresent()) {
            options = options.boundTo(whole.boundThread().get());
        }
        // Not interruptOnLoss: losing one member need not be losing the whole.
        return options;
    }

    /** Another library's lock would keep a minimum hold even if it is released because another member was busy. */
    private static boolean keepsMinHold(LeaseLock member) {
        return member instanceof MemberLock || member instanceof CompositeLock;
    }

    /** Runs callers' code. */
    static Executor callbacks(LeaseLock first) {
        if (first instanceof MemberLock lock) {
            return lock.callbacks();
        }
        return first instanceof CompositeLock lock ? lock.callbacks() : CallbackThreads.SHARED;
    }

    /** The holds of all composite locks that begin with that lock. They end with its client. */
    @SuppressWarnings("unchecked") // Only composite locks use it.
    static ThreadHolds<CompositeLease> holds(LeaseLock first) {
        if (first instanceof MemberLock lock) {
            return (ThreadHolds<CompositeLease>) lock.holdsOfWholes();
        }
        return first instanceof CompositeLock lock ? lock.holds() : HOLDS;
    }
}

package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.internal.thread.MemberLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** How a composite lock asks its members. Locks of this library answer on its own threads, others on the threads of their callers' code. */
final class Members {

    private Members() {}

    static CompletableFuture<? extends Lease> acquire(LeaseLock member, AcquireOptions whole, Duration wait) {
        try {
            AcquireOptions options = options(member, whole).waitAtMost(wait);
            return member instanceof MemberLock ours
                    ? ours.acquireAsMember(options)
                    : member.acquireAsync(options).toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** What each member is asked for. Not interruptOnLoss: losing one member need not be losing the whole. */
    private static AcquireOptions options(LeaseLock member, AcquireOptions whole) {
        AcquireOptions options = AcquireOptions.defaults();
        // Another library's lock would keep a minimum hold even if it is released because another member was busy.
        boolean keepsMinHold = member instanceof MemberLock;
        if (whole.givenLease().isPresent()) {
            Duration lease = whole.givenLease().get();
            // If Redis does not keep the minimum hold, the lease has to last for it.
            boolean tooShort = !keepsMinHold && lease.compareTo(whole.minHold()) < 0;
            options = options.lease(tooShort ? whole.minHold() : lease);
            if (whole.isRenewed()) {
                options = options.renewed();
            }
        }
        if (keepsMinHold) {
            options = options.minHold(whole.minHold());
        }
        if (whole.givenMaxHold().isPresent()) {
            options = options.maxHold(whole.givenMaxHold().get());
        }
        if (whole.boundThread().isPresent()) {
            options = options.boundTo(whole.boundThread().get());
        }
        return options;
    }
}

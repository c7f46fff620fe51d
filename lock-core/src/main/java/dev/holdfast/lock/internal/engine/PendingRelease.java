package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.log.LockLog;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseRequest;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A release on its way: repeated until Redis has answered, or the lease has run out by itself. Completes with what Redis said; with true where
 * nobody can know whether the lock was the owner's.
 *
 * <p>"Not yours" has three meanings. After an earlier try without an answer: that one did it. After an acquisition without an answer, over a
 * connection that has ended since: perhaps the acquisition is yet to come, so ask again later. Otherwise: the lock was lost.
 */
final class PendingRelease extends CompletableFuture<Boolean> {

    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);

    private static final LockLog LOG = LockLog.LOG;

    private final PendingReleases all;
    private final LockEngine lock;
    private final OpenClient client;
    private final String owner;
    private final long keepUntil;
    private final long leaseEnd;
    private final @Nullable HeldLease lease;
    private final @Nullable Long interruptionsBefore;

    private boolean unanswered;
    private long pause = FIRST_PAUSE;

    /**
     * Creates a release that is not sent yet.
     *
     * @param keepUntil until when the lock must stay taken
     * @param leaseEnd when the lease will have run out in Redis at the latest
     * @param lease the lease to release, which is freed when the release ends; null if the grant never became a lease
     * @param interruptionsBefore the gateway's count when an acquisition was sent that has no answer; null if there is none
     */
    PendingRelease(
            PendingReleases all,
            LockEngine lock,
            String owner,
            long keepUntil,
            long leaseEnd,
            @Nullable HeldLease lease,
            @Nullable Long interruptionsBefore) {
        this.all = all;
        this.lock = lock;
        this.client = lock.client;
        this.owner = owner;
        this.keepUntil = keepUntil;
        this.leaseEnd = leaseEnd;
        this.lease = lease;
        this.interruptionsBefore = interruptionsBefore;
    }

    void send() {
        // Rounded up: nobody gets in before a minimum hold is over.
        long keepNanos = keepUntil - client.ticker.now() + 999_999;
        long keepMillis = Math.max(0, TimeUnit.NANOSECONDS.toMillis(keepNanos));
        long seen = FencingTokens.drawn(client.highestToken.get());
        lock.protocol
                .release(new ReleaseRequest(lock.key(), owner, keepMillis, seen))
                .whenComplete(this::answered);
    }

    private void answered(@Nullable ReleaseResult result, @Nullable Throwable thrown) {
        if (result == null) {
            failed(RedisFailure.of(thrown));
        } else if (acquisitionMayYetCome()) {
            again();
        } else {
            end(result.wasOwner() || unanswered);
        }
    }

    private void failed(RedisFailure failure) {
        unanswered |= failure.isOutcomeUnknown();
        if (isOverwritten(failure)) {
            end(unanswered);
        } else if (failure.kind() == RedisFailure.Kind.REFUSED) {
            refused(failure);
        } else {
            again();
        }
    }

    /** Another program wrote something else under the key: the lock is gone, as if the key had been deleted. */
    private static boolean isOverwritten(RedisFailure failure) {
        return String.valueOf(failure.getMessage()).contains("WRONGTYPE");
    }

    private boolean acquisitionMayYetCome() {
        return interruptionsBefore != null && interruptionsBefore != client.gateway.interruptions();
    }

    private void again() {
        if (leaseEnd - client.ticker.now() <= 0 || (all.isClosing() && interruptionsBefore != null)) {
            end(true);
            return;
        }
        client.timer.after(pause, this::send);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
    }

    /** Ends it, whatever Redis has. */
    void end(boolean wasOwner) {
        all.ended(this);
        if (complete(wasOwner) && lease != null) {
            lease.freed(wasOwner);
        }
    }

    private void refused(RedisFailure failure) {
        LOG.log(
                System.Logger.Level.WARNING,
                "Releasing ''{0}'' (owner {1}) was {2}. It stays taken until its lease runs out",
                LogText.escape(lock.key()),
                owner,
                failure.getMessage());
        all.ended(this);
        if (completeExceptionally(failure) && lease != null) {
            // Nobody can say whose it is: the holder is done with it.
            lease.freed(true);
        }
    }
}

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.log.LockLog;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A release on its way: repeated until Redis has answered, or the lease has run out by itself.
 *
 * <p>"Not yours" has three meanings. After an earlier try without an answer: that one did it. After an acquisition without an answer, over a
 * connection that has ended since: perhaps the acquisition is yet to come, so ask again later. Otherwise: the lock was lost.
 */
final class ReleaseRetry {

    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);

    private static final LockLog LOG = LockLog.LOG;

    /**
     * What is to be released.
     *
     * @param keepUntil until when the lock must stay taken
     * @param leaseEnd when the lease will have run out in Redis at the latest
     */
    record Release(LockProtocol protocol, String key, String owner, long keepUntil, long leaseEnd) {}

    /**
     * Its acquisition had no answer.
     *
     * @param interruptionsBefore the gateway's count when that was sent
     * @param askedOften whether one may have been answered, or taken back, while another is still on its way
     */
    record Doubt(long interruptionsBefore, boolean askedOften) {}

    private final Release release;
    private final @Nullable Doubt doubt;
    private final RedisGateway gateway;
    private final Timer timer;
    private final Ticker ticker;
    private final BooleanSupplier closing;
    private final LongSupplier highestDrawn;
    private final CompletableFuture<Boolean> result = new CompletableFuture<>();

    private boolean unanswered;
    private long pause = FIRST_PAUSE;

    ReleaseRetry(
            Release release,
            @Nullable Doubt doubt,
            RedisGateway gateway,
            Timer timer,
            Ticker ticker,
            BooleanSupplier closing,
            LongSupplier highestDrawn) {
        this.release = release;
        this.doubt = doubt;
        this.gateway = gateway;
        this.timer = timer;
        this.ticker = ticker;
        this.closing = closing;
        this.highestDrawn = highestDrawn;
    }

    /** What Redis said; says that the lock was the owner's where nobody can know. */
    CompletableFuture<Boolean> result() {
        return result;
    }

    void send() {
        // Rounded up: nobody gets in before a minimum hold is over.
        long keepMillis = Math.max(0, TimeUnit.NANOSECONDS.toMillis(release.keepUntil() - ticker.now() + 999_999));
        release.protocol()
                .release(new LockProtocol.Release(release.key(), release.owner(), keepMillis, highestDrawn.getAsLong()))
                .whenComplete((released, failure) -> answered(released == null ? null : released.wasOwner(), failure));
    }

    private void answered(@Nullable Boolean wasOwner, @Nullable Throwable failure) {
        if (wasOwner == null) {
            unanswered |= RedisFailure.of(failure).isOutcomeUnknown();
            if (isOverwritten(RedisFailure.of(failure))) {
                end(unanswered);
            } else if (RedisFailure.of(failure).kind() == RedisFailure.Kind.REFUSED) {
                fail(RedisFailure.of(failure));
            } else {
                again();
            }
        } else if (wasOwner && !(doubt != null && doubt.askedOften() && acquisitionMayYetCome())) {
            end(true);
        } else if (acquisitionMayYetCome()) {
            again();
        } else {
            end(unanswered);
        }
    }

    /** Somebody wrote something else under the key: the lock is gone, as if the key had been deleted. */
    private static boolean isOverwritten(RedisFailure failure) {
        return String.valueOf(failure.getMessage()).contains("WRONGTYPE");
    }

    private boolean acquisitionMayYetCome() {
        return doubt != null && doubt.interruptionsBefore() != gateway.interruptions();
    }

    private void again() {
        if (release.leaseEnd() - ticker.now() <= 0 || (closing.getAsBoolean() && doubt != null)) {
            end(true);
            return;
        }
        timer.after(pause, this::send);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
    }

    /** Ends it, whatever Redis has. */
    void end(boolean wasOwner) {
        result.complete(wasOwner);
    }

    private void fail(RedisFailure failure) {
        LOG.log(
                System.Logger.Level.WARNING,
                "Releasing ''{0}'' (owner {1}) was {2}. It stays taken until its lease runs out",
                LogText.escape(release.key()),
                release.owner(),
                failure.getMessage());
        result.completeExceptionally(failure);
    }
}

package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.interceptor.AcquiredLock.ReleaseTimer;
import dev.holdfast.lock.spring.interceptor.Once.Claim;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** A run that has begun and must happen only once. It has failed as soon as one who takes part in it has failed. */
final class OnceRun {

    private static final Log LOG = LogFactory.getLog(OnceRun.class);

    /** The pause before a text is written again that Redis did not confirm, and how often it is tried. The lease may end earlier. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private static final int ATTEMPTS = 100;

    private final OnceRecord record;
    private final Lease lease;
    private final Claim claim;
    private volatile boolean failed;

    OnceRun(OnceRecord record, Lease lease, Claim claim) {
        this.record = record;
        this.lease = lease;
        this.claim = claim;
    }

    void fail() {
        failed = true;
    }

    /** Writes what a successful run leaves. Called before the lock is released. Never fails: a lost lease fails the release. */
    CompletableFuture<?> end(boolean blocking) {
        if (failed) {
            record.once().ended(record.record().lockName(), false);
            return CompletableFuture.<@Nullable Void>completedFuture(null);
        }
        return write(blocking, ATTEMPTS);
    }

    private CompletableFuture<@Nullable Void> write(boolean blocking, int attempts) {
        return record.write(blocking, lease, claim.atSuccess(), claim.keep())
                .handle((done, failure) -> ended(failure == null ? null : AcquiredLock.cause(failure), attempts))
                .thenCompose(next -> next);
    }

    private CompletableFuture<@Nullable Void> ended(@Nullable Throwable failure, int attempts) {
        if (failure instanceof LockUnavailableException && attempts > 1 && lease.isHeld()) {
            // Others would repeat the run, so its success is worth a wait.
            return ReleaseTimer.limit(new CompletableFuture<>(), PAUSE)
                    .thenCompose(paused -> write(false, attempts - 1));
        }
        String lockName = record.record().lockName();
        if (failure == null) {
            record.once().ended(lockName, true);
        } else {
            LOG.warn("The run under lock '" + LogText.escape(lockName)
                    + "' has succeeded, but this was not written beside the lock, so other instances do not know it: "
                    + failure);
        }
        return CompletableFuture.completedFuture(null);
    }
}

package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.interceptor.AcquiredLock.ReleaseTimer;
import dev.holdfast.lock.spring.interceptor.Once.AlreadyRan;
import dev.holdfast.lock.spring.interceptor.Once.Claim;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A call that must run only once. It looks at the record beside the lock before it requests the lock, so that a call with nothing to run does not wait.
 * Another instance may run it meanwhile, so it looks again under the lock.
 */
final class OnceRun implements AroundLock {

    private static final Log LOG = LogFactory.getLog(OnceRun.class);

    /** The pause before a text is written again that Redis did not confirm, and how often it is tried. The lease may end earlier. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private static final int ATTEMPTS = 100;

    private final OnceRecord record;
    private final boolean waits;
    /** What this run leaves in the record, and the lease under which it writes it. Null until it begins. */
    private volatile @Nullable Begun begun;

    private record Begun(Lease lease, Claim claim) {}

    private OnceRun(OnceRecord record, boolean waits) {
        this.record = record;
        this.waits = waits;
    }

    static @Nullable AroundLock around(LockCall call) {
        LockOperation operation = call.request().operation();
        Once once = operation.once();
        return once == null
                ? null
                : new OnceRun(
                        new OnceRecord(
                                call.client(),
                                call.client().getRecord(call.names().get(0)),
                                once),
                        operation.waits());
    }

    @Override
    public CompletableFuture<?> beforeRequest(boolean blocking) {
        return skipping(record.look(blocking, waits));
    }

    @Override
    public CompletableFuture<?> whenHeld(Lease lease, boolean blocking) {
        return skipping(record.claim(blocking)
                .thenCompose(claim -> record.write(blocking, lease, claim.atStart(), claim.keep())
                        .thenAccept(written -> begun = new Begun(lease, claim))));
    }

    private static <T> CompletableFuture<T> skipping(CompletableFuture<T> step) {
        return step.exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                AcquiredLock.cause(failure) instanceof AlreadyRan ran
                        ? new RefusedByFeature(ran, "already-run", true)
                        : failure));
    }

    /** Writes what a successful run leaves. Never fails: a lost lease fails the release. */
    @Override
    public CompletableFuture<?> beforeRelease(boolean failed, boolean blocking) {
        Begun run = begun;
        if (run == null) {
            return DONE;
        }
        if (failed) {
            record.once().ended(record.record().lockName(), false);
            return DONE;
        }
        return write(run, blocking, ATTEMPTS);
    }

    private CompletableFuture<@Nullable Void> write(Begun run, boolean blocking, int attempts) {
        return record.write(
                        blocking,
                        run.lease(),
                        run.claim().atSuccess(),
                        run.claim().keep())
                .handle((done, failure) -> ended(run, failure == null ? null : AcquiredLock.cause(failure), attempts))
                .thenCompose(next -> next);
    }

    private CompletableFuture<@Nullable Void> ended(Begun run, @Nullable Throwable failure, int attempts) {
        if (failure instanceof LockUnavailableException
                && attempts > 1
                && run.lease().isHeld()) {
            // Others would repeat the run, so its success is worth a wait.
            return ReleaseTimer.limit(new CompletableFuture<>(), PAUSE)
                    .thenCompose(paused -> write(run, false, attempts - 1));
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

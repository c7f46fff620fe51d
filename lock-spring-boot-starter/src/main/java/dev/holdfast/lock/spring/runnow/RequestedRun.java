package dev.holdfast.lock.spring.runnow;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.Refusal;
import dev.holdfast.lock.spring.schedule.FiredTask;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One run that somebody has asked for. Its answer is complete when the method has begun, or when it is known that it does not begin. */
record RequestedRun(boolean countsAsTick, CompletableFuture<Void> answer) implements FiredTask.Purpose {

    /** The call has nobody to answer to: who asked for the run has the reason. */
    private static final class NotStarted extends LockException {
        private static final long serialVersionUID = 1L;

        NotStarted(LockException reason) {
            super(reason.lockName(), String.valueOf(reason.getMessage()), reason);
        }
    }

    @Override
    public boolean begins() {
        return true;
    }

    @Override
    public void ended() {
        answer.completeExceptionally(new IllegalStateException(
                "The method ended before it had its lock: what is around it has kept it from running"));
    }

    AroundLock around(AroundLock.LockCall call) {
        return new AroundLock() {
            private @Nullable Lease brought;

            /** Tries once. The lock's own policies are for the calls of the scheduler. */
            @Override
            public CompletableFuture<?> beforeRequest(boolean blocking) {
                if (!blocking
                        || call.operation().kind().isSemaphore()
                        || call.names().size() > 1) {
                    return DONE;
                }
                AcquireOptions options = call.operation().options().waitAtMost(Duration.ZERO);
                try {
                    brought = call.client()
                            .getLock(call.names().get(0), call.operation().kind())
                            .acquire(options);
                    return DONE;
                } catch (LockNotAcquiredException | LockUnavailableException e) {
                    answer.completeExceptionally(e);
                    return CompletableFuture.failedFuture(new Refusal.ByFeature(
                            new NotStarted(e), e instanceof LockNotAcquiredException ? "busy" : "unavailable", true));
                }
            }

            @Override
            public @Nullable Lease brought() {
                return brought;
            }

            @Override
            public void refused(Refusal refusal) {
                LockException reason = refusal.reason();
                boolean isKnown =
                        reason instanceof LockNotAcquiredException || reason instanceof LockUnavailableException;
                answer.completeExceptionally(isKnown ? reason : new IllegalStateException(reason.getMessage(), reason));
            }

            @Override
            public void failed(Throwable failure) {
                answer.completeExceptionally(failure);
            }

            @Override
            public void begun() {
                answer.complete(null);
            }
        };
    }
}

package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A waiter whose outcome is only looked at. */
final class PlainWaiter extends Waiter {

    PlainWaiter(LeaseTerms terms, long waitNanos, long now) {
        super(terms, waitNanos, now, null);
    }

    @Override
    protected Background background() {
        return Background.SYSTEM;
    }

    @Override
    protected String lockName() {
        throw new UnsupportedOperationException();
    }

    @Override
    protected RuntimeException failure(@Nullable Throwable thrown) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected CompletableFuture<Optional<LockState>> presentState() {
        throw new UnsupportedOperationException();
    }

    @Override
    protected LockException busy(Optional<LockState> found) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void timedOut() {
        // Nobody listens.
    }

    @Override
    protected void unavailable(Throwable problem) {
        // Nobody listens.
    }

    @Override
    protected RuntimeException notYet(Answer.Busy refusal) {
        return new IllegalStateException("not yet");
    }
}

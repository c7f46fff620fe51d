package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockNotYetGrantedException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition of a lock by one waiter. Provides the caller with the holder if the lock is busy until the end of the wait, or with the reason why it
 * is unavailable. Does not refer to the caller's lock object, so that thousands of waiters keep only the one of their room.
 */
final class LockAcquisition extends Waiter {

    private final Session session;
    private final String name;
    private final LockId id;

    LockAcquisition(Session session, LockEngine lock, LeaseTerms terms, long waitNanos, @Nullable String writerOwner) {
        super(terms, waitNanos, session.settings().ticker().now(), writerOwner);
        this.session = session;
        this.name = lock.name;
        this.id = lock.id;
    }

    @Override
    protected Background background() {
        return session.settings().background();
    }

    @Override
    protected String lockName() {
        return name;
    }

    /** Creates the exception anew with the lock name that this caller used, because the waiters of a room may use different names. */
    @Override
    protected RuntimeException failure(@Nullable Throwable thrown) {
        return isClosed() ? RedisFailures.closed(name) : RedisFailures.anew(name, thrown);
    }

    @Override
    protected Throwable asyncFailure(Throwable thrown) {
        return isClosed() ? failure(thrown) : thrown;
    }

    @Override
    protected void timedOut() {
        session.events().timedOut(name, id.kind(), waited());
    }

    @Override
    protected void unavailable(Throwable problem) {
        if (problem instanceof LockUnavailableException && !isClosed()) {
            session.events().unavailable(name, id.kind(), waited(), problem);
        }
    }

    @Override
    protected RuntimeException notYet(Busy refusal) {
        return new LockNotYetGrantedException(name, Duration.ofNanos(refusal.retryAfterNanos()));
    }

    private long waited() {
        return session.settings().ticker().now() - since();
    }

    private boolean isClosed() {
        return session.isClosed();
    }

    /**
     * Asks Redis for the present state. The time for this is what is left of the command timeout, by which every call may exceed its wait. Empty if
     * Redis has not answered by then.
     */
    @Override
    protected CompletableFuture<Optional<LockState>> presentState() {
        ClientSettings settings = session.settings();
        long late = Math.max(0, settings.ticker().now() - since() - Math.max(0, waitNanos()));
        return session.inspectWithin(settings.connection().commandTimeout().toNanos() - late, name, takenKey(), id);
    }

    /** Returns the key that is taken. Several names that form one lock have no common key, but the refusal says which of their keys is taken. */
    private String takenKey() {
        Busy busy = lastRefusal();
        return busy == null || busy.takenKey() == null ? id.key() : busy.takenKey();
    }

    private @Nullable Busy lastRefusal() {
        return lastAnswer() instanceof Busy busy ? busy : null;
    }

    @Override
    protected LockException busy(Optional<LockState> found) {
        Duration wait = Duration.ofNanos(waitNanos());
        if (found.isPresent()) {
            return new LockNotAcquiredException(name, wait, found.get());
        }
        Busy busy = lastRefusal();
        Duration left = busy == null || busy.holder() == null || busy.retryAfterNanos() == Long.MAX_VALUE
                ? null
                : Duration.ofMillis(busy.retryAfterNanos() / 1_000_000);
        return new LockNotAcquiredException(name, wait, busy == null ? null : busy.holder(), left);
    }
}

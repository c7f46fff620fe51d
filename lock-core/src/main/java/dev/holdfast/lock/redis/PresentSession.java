package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.connection.KeySlots;
import dev.holdfast.lock.internal.engine.ClientSettings;
import dev.holdfast.lock.internal.engine.Session;
import dev.holdfast.lock.internal.event.Counters;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The present session of a client, and what the client keeps over all sessions. A client that was closed and started again has a new session. */
final class PresentSession {

    final ClientSettings settings;
    final LockKeys keys;
    final ThreadHolds<HeldLease> holds = new ThreadHolds<>();

    private final KeySlots slots;
    private final RedisSource source;
    private final Counters counters = new Counters();
    /** Kept when the client is closed, so that a caller that still holds a lock can learn from its session that the lease was lost. */
    private volatile @Nullable Session open;

    /** What happens to a client that has had no session yet. */
    private Unused unused = Unused.AWAITS_START;

    private enum Unused {
        AWAITS_START,
        STARTS_WHEN_USED,
        CLOSED
    }

    PresentSession(ClientSettings settings, RedisSource source) {
        this.settings = settings;
        this.slots = new KeySlots(source.hasSeparateSlots());
        this.keys = new LockKeys(settings.keyPrefix(), slots);
        this.source = source;
    }

    /** Starts with the first use, unless there was a start before: then, the client is known to be used. */
    synchronized void startWhenUsed() {
        if (open == null) {
            unused = Unused.STARTS_WHEN_USED;
        } else {
            start();
        }
    }

    /** Lets no use start the client any more. A client that was never used is closed by this. */
    synchronized void endUnused() {
        unused = Unused.CLOSED;
    }

    /** Returns the session that the first use has started, or null if no use may start it. */
    private synchronized @Nullable Session used() {
        if (open == null && unused == Unused.STARTS_WHEN_USED) {
            try {
                start();
            } catch (RuntimeException notYet) {
                // The application's Redis client may not exist yet. The caller learns that this client is not started,
                // and the next use tries again.
            }
        }
        return open;
    }

    synchronized void start() {
        if (!isStarted()) {
            open = new Session(settings, keys, source.opener(slots), holds, counters);
        }
    }

    boolean isStarted() {
        Session now = open;
        return now != null && !now.isClosed();
    }

    /** Returns the session, or null before the first start. */
    @Nullable
    Session orNull() {
        return open;
    }

    Session get(String lockName) {
        Session now = open;
        if (now == null) {
            now = used();
        }
        if (now == null) {
            throw withoutSession(lockName);
        }
        return now;
    }

    private synchronized LockUnavailableException withoutSession(String lockName) {
        return unused == Unused.CLOSED ? RedisFailures.closed(lockName) : RedisFailures.notStarted(lockName);
    }

    /** Sends a request through the session. Without a session, returns a failed future, as other asynchronous methods do. */
    <T> CompletableFuture<T> whenStarted(String lockName, Function<Session, CompletionStage<T>> request) {
        Session opened = open;
        Session now = opened == null ? used() : opened;
        return now == null
                ? CompletableFuture.failedFuture(withoutSession(lockName))
                : request.apply(now).toCompletableFuture();
    }

    /** Waits for the answer to a request about a lock. */
    <T> T await(String name, CompletableFuture<T> answer) {
        return settings.background().join(answer, failure -> RedisFailures.ofAnswer(name, failure));
    }

    /** Returns the number of holders of a lock. One round trip, because the holders' names are not needed. */
    int holders(String name) {
        return await(name, get(name).inspector().holders(name, keys.lock(name)));
    }

    CompletableFuture<Void> raiseTokens(String name, long token) {
        String key = keys.lock(name);
        return whenStarted(name, now -> now.raiseTokens(name, key, token));
    }

    LockStatistics statistics() {
        return Session.statistics(counters, open);
    }
}

package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.Timer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What clients call themselves, kept in Redis beside their locks so that whoever is refused can tell who is in the way. A client is named
 * there while it holds or waits for something, and forgotten a lifetime later. Nothing ever waits for it, and no lock fails for its sake.
 */
final class ClientNames {

    static final Duration LIFETIME = Duration.ofMinutes(5);

    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(5);
    private static final int WRITES_IN_A_LIFETIME = 3;

    /** Others write here, too: what is read is cut to what one would have accepted. */
    private static final int LONGEST = 200;

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final Timer timer;
    private final String client;
    private final String name;
    private final Duration lifetime;
    private final BooleanSupplier inUse;
    private final AtomicBoolean kept = new AtomicBoolean();
    private Timer.@Nullable Timeout next;
    private boolean everWritten;
    private boolean closed;

    ClientNames(
            RedisGateway gateway,
            LockKeys keys,
            Timer timer,
            String client,
            String name,
            Duration lifetime,
            BooleanSupplier inUse) {
        this.gateway = gateway;
        this.keys = keys;
        this.timer = timer;
        this.client = client;
        this.name = name;
        this.lifetime = lifetime;
        this.inUse = inUse;
    }

    /** This client has begun to hold or to wait: from here on it is named. Costs a look at a flag where it already is. */
    void keep() {
        if (!kept.get() && kept.compareAndSet(false, true)) {
            write();
        }
    }

    /** Sent behind the same monitor as the end of it all: no name is written after it was deleted. */
    private synchronized void write() {
        if (closed) {
            return;
        }
        everWritten = true;
        gateway.set(keys.client(client), name, lifetime)
                .whenComplete((done, failure) -> lookAgainAfter(pauseAfter(failure)));
    }

    private Duration pauseAfter(@Nullable Throwable failure) {
        Duration pause = lifetime.dividedBy(WRITES_IN_A_LIFETIME);
        boolean soonAgain = failure != null && RedisFailures.of(failure).isPassing();
        return soonAgain && pause.compareTo(PAUSE_AFTER_FAILURE) > 0 ? PAUSE_AFTER_FAILURE : pause;
    }

    private synchronized void lookAgainAfter(Duration pause) {
        if (!closed) {
            next = timer.after(pause.toNanos(), this::writeIfInUse);
        }
    }

    private void writeIfInUse() {
        kept.set(false);
        // Looked at only now: whoever came in between has seen the flag, and somebody of the two writes.
        if (inUse.getAsBoolean()) {
            keep();
        }
    }

    /** What a client calls itself, if that is known there. */
    CompletableFuture<Optional<String>> of(String anyClient) {
        return gateway.get(keys.client(anyClient)).thenApply(found -> found.map(ClientNames::cut));
    }

    private static String cut(String found) {
        return found.substring(0, Math.min(found.length(), LONGEST));
    }

    /** Whether this user may name its client at all; fails as Redis does. */
    CompletableFuture<Optional<String>> probe() {
        return of(client);
    }

    /** The client closes: nobody is to read of it any more. */
    synchronized CompletableFuture<Void> forget() {
        closed = true;
        if (next != null) {
            next.cancel();
        }
        return everWritten
                ? gateway.delete(keys.client(client)).handle((deleted, failure) -> null)
                : CompletableFuture.completedFuture(null);
    }
}

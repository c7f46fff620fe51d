package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.SelfCheck;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Checks Redis, one request at a time. While Redis hangs, all callers share one request and one thread waits for it. The client's command
 * timeout ends the request.
 */
final class RedisProbe {

    /** Nobody acquires this name. Inspecting it takes one round trip, as a lock does. */
    private static final String PROBE_NAME = "holdfast-health-probe";

    /** A server's version and permissions seldom change, and a self-check takes several round trips. */
    private static final Duration CHECK_AGE = Duration.ofMinutes(1);

    private final LockClient client;
    private final AtomicReference<@Nullable CompletableFuture<Reading>> asking = new AtomicReference<>();
    private volatile @Nullable Checked checked;

    RedisProbe(LockClient client) {
        this.client = client;
    }

    /**
     * An answer of Redis.
     *
     * @param roundTrip how long the answer took
     * @param check the last self-check, at most a minute old
     */
    record Reading(Duration roundTrip, SelfCheck check) {}

    private record Checked(SelfCheck check, long when) {

        /** A self-check that found an error is repeated each time: somebody may be fixing it. */
        boolean isGood() {
            return check.isUsable() && System.nanoTime() - when < CHECK_AGE.toNanos();
        }
    }

    CompletableFuture<Reading> ask() {
        CompletableFuture<Reading> mine = new CompletableFuture<>();
        CompletableFuture<Reading> others = asking.compareAndExchange(null, mine);
        if (others != null) {
            return others;
        }
        Thread thread = new Thread(() -> answer(mine), "holdfast-health");
        thread.setDaemon(true);
        thread.start();
        return mine;
    }

    private void answer(CompletableFuture<Reading> question) {
        Reading reading = null;
        Throwable failure = null;
        try {
            reading = read();
        } catch (CompletionException e) {
            failure = e.getCause() == null ? e : e.getCause();
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        // Before the answer: a caller that asks after it must get a new one.
        asking.set(null);
        if (reading != null) {
            question.complete(reading);
        } else if (failure != null) {
            question.completeExceptionally(failure);
        }
    }

    private Reading read() {
        long start = System.nanoTime();
        client.inspect(PROBE_NAME);
        Duration roundTrip = Duration.ofNanos(System.nanoTime() - start);
        Checked known = checked;
        if (known == null || !known.isGood()) {
            known = new Checked(client.selfCheck().toCompletableFuture().join(), System.nanoTime());
            checked = known;
        }
        return new Reading(roundTrip, known.check());
    }
}

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.Scripts;
import dev.holdfast.lock.internal.reign.Grace;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads and writes {@link LockRecord}s. With a grace, also writes those again that Redis has lost. */
public final class Records {

    /** The number of locks of which this client remembers the text that it has written last. */
    private static final int REMEMBERED = 1_000;

    private static final long BEFORE_RETRY = TimeUnit.MILLISECONDS.toNanos(500);

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final Timer timer;
    private final Ticker ticker;
    private final Grace grace;
    private final int minReplicas;
    /** The texts to write again, by the keys of their locks. Empty without a grace. */
    private final Map<String, Written> written = Collections.synchronizedMap(new LatestWritten());
    /** The locks whose texts are being written again. */
    private final Set<String> asserting = ConcurrentHashMap.newKeySet();

    private record Written(String token, String text, long endsAt) {}

    /** Forgets the text that was written first if there are too many. */
    private static final class LatestWritten extends LinkedHashMap<String, Written> {

        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Written> eldest) {
            return size() > REMEMBERED;
        }
    }

    Records(RedisGateway gateway, LockKeys keys, Timer timer, Ticker ticker, Grace grace, int minReplicas) {
        this.gateway = gateway;
        this.keys = keys;
        this.timer = timer;
        this.ticker = ticker;
        this.grace = grace;
        this.minReplicas = minReplicas;
    }

    public CompletableFuture<Reading> read(String name, String key) {
        return gateway.run(Scripts.RECORD_READ, List.of(key), List.of())
                .handle((answer, failure) -> answered(name, answer, failure))
                .thenApply(answer -> new Reading(
                        answer.size() > 1 ? (String) answer.get(1) : null, Instant.ofEpochMilli((Long) answer.get(0))));
    }

    /**
     * Writes the text. If the holder no longer owns the lock in Redis, the lease becomes lost, and the stage fails with that loss. With a grace, Redis may
     * have lost a hold that this client still has, and then the holder says so first.
     */
    public CompletableFuture<Void> write(HeldLease holder, String text, long keepMillis) {
        long endsAt = ticker.now() + TimeUnit.MILLISECONDS.toNanos(keepMillis);
        return writeOnce(holder, text, keepMillis)
                .thenCompose(done -> done || !grace.isOn()
                        ? CompletableFuture.completedFuture(done)
                        : holder.confirm().thenCompose(held -> writeOnce(holder, text, keepMillis)))
                .handle((done, failure) -> {
                    if (!answered(holder.lockName(), done, failure)) {
                        holder.gone();
                        holder.assertHeld();
                    } else if (grace.isOn()) {
                        String token = Long.toString(holder.fencingToken());
                        written.put(holder.grant().key(), new Written(token, text, endsAt));
                    }
                    return null;
                });
    }

    private CompletableFuture<Boolean> writeOnce(HeldLease holder, String text, long keepMillis) {
        List<String> args = List.of(
                holder.grant().owner(),
                Long.toString(keepMillis),
                Long.toString(holder.grant().firstToken()),
                Long.toString(holder.fencingToken()),
                text);
        return gateway.runReplicated(
                        Scripts.RECORD_WRITE,
                        List.of(holder.grant().key()),
                        args,
                        minReplicas,
                        LockProtocol::isYes,
                        result -> LockProtocol.isYes(result.values()))
                .toCompletableFuture();
    }

    /** Writes all texts again that Redis may have lost. Called when it may grant nothing yet. */
    void assertAll() {
        List.copyOf(written.keySet()).forEach(this::assertAgain);
    }

    private void assertAgain(String key) {
        Written last = written.get(key);
        if (last == null || last.endsAt() - ticker.now() < TimeUnit.MILLISECONDS.toNanos(1)) {
            written.remove(key);
        } else if (asserting.add(key)) {
            List<String> args = List.of(grace.argument(), grace.millisUntil(last.endsAt()), last.token(), last.text());
            gateway.run(Scripts.RECORD_ASSERT, keys.withTokenKey(List.of(key)), args)
                    .whenComplete((answer, failure) -> {
                        asserting.remove(key);
                        if (failure != null && RedisFailure.of(failure).isTransient()) {
                            timer.after(BEFORE_RETRY, () -> assertAgain(key));
                        }
                    });
        }
    }

    /** Ends all retries. */
    void close() {
        written.clear();
    }

    private static <T> T answered(String name, @Nullable T answer, @Nullable Throwable failure) {
        if (failure != null || answer == null) {
            throw RedisFailures.unavailable(name, failure);
        }
        return answer;
    }
}

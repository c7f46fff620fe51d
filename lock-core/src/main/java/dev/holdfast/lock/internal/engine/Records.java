package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.LockRecord.Replacement;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.Scripts;
import dev.holdfast.lock.internal.reign.Grace;
import java.time.Instant;
import java.util.ArrayList;
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

    /** The answer of the script that has written; another one says that the text was not what it had to be. */
    private static final long WRITTEN = 1;

    /** The number of locks of which this client remembers the text that it has written last. */
    private static final int REMEMBERED = 1_000;

    private static final long BEFORE_RETRY = TimeUnit.MILLISECONDS.toNanos(500);

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final Timer timer;
    private final Ticker ticker;
    private final Grace grace;
    private final boolean isAsserted;
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

    Records(RedisGateway gateway, LockKeys keys, Timer timer, Ticker ticker, Grace grace) {
        this.gateway = gateway;
        this.keys = keys;
        this.timer = timer;
        this.ticker = ticker;
        this.grace = grace;
        this.isAsserted = grace.isOn();
    }

    public CompletableFuture<Reading> read(String name, String key) {
        return gateway.run(Scripts.Records.READ, List.of(key), List.of())
                .handle((answer, failure) -> answered(name, answer, failure))
                .thenApply(answer -> reading(answer, answer.size() > 1 ? (String) answer.get(1) : null, 0));
    }

    private static Reading reading(List<Object> answer, @Nullable String text, int time) {
        return new Reading(text, Instant.ofEpochMilli((Long) answer.get(time)));
    }

    /** Writes the text. If the holder no longer owns the lock in Redis, the lease becomes lost, and the stage fails with that loss. */
    public CompletableFuture<Void> write(HeldLease holder, String text, long keepMillis) {
        return write(holder, text, keepMillis, args(holder, text, keepMillis)).thenAccept(answer -> {});
    }

    /** Does the same, unless the record does not say any more what it said before. */
    public CompletableFuture<Replacement> replace(
            HeldLease holder, @Nullable String before, String text, long keepMillis) {
        List<String> args = args(holder, text, keepMillis);
        args.add(before == null ? "" : before);
        return write(holder, text, keepMillis, args).thenApply(answer -> {
            boolean isWritten = isWritten(answer);
            return new Replacement(isWritten, reading(answer, isWritten ? text : other(answer), 1));
        });
    }

    private static boolean isWritten(List<Object> answer) {
        return (Long) answer.get(0) == WRITTEN;
    }

    private static @Nullable String other(List<Object> answer) {
        String text = (String) answer.get(2);
        return text.isEmpty() ? null : text;
    }

    private static List<String> args(HeldLease holder, String text, long keepMillis) {
        return new ArrayList<>(List.of(Long.toString(holder.fencingToken()), Long.toString(keepMillis), text));
    }

    private CompletableFuture<List<Object>> write(HeldLease holder, String text, long keepMillis, List<String> args) {
        long endsAt = ticker.now() + TimeUnit.MILLISECONDS.toNanos(keepMillis);
        return ((Guard) holder.guard())
                .send(Scripts.Records.WRITE, List.of(), args)
                .thenApply(answer -> {
                    if (isAsserted && isWritten(answer)) {
                        String token = Long.toString(holder.fencingToken());
                        written.put(holder.grant().key(), new Written(token, text, endsAt));
                    }
                    return answer;
                });
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
            gateway.run(Scripts.Records.ASSERT, keys.withTokenKey(List.of(key)), args)
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

    private static List<Object> answered(String name, @Nullable List<Object> answer, @Nullable Throwable failure) {
        if (failure != null || answer == null) {
            throw RedisFailures.unavailable(name, failure);
        }
        return answer;
    }
}

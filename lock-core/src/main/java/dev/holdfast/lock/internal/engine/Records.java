package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.LockRecord.Replacement;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
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
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Reads and writes {@link LockRecord}s. With a grace, also writes those again that Redis has lost. */
public final class Records {

    /** The answer of the script that has written; another one says that the text was not what it had to be. */
    private static final long WRITTEN = 1;

    /** The answer of the script that asserts a text, if the slot is not closed. */
    private static final long GRANTS_LOCKS = 0;

    /** The number of locks of which this client remembers the text that it has written last. */
    private static final int REMEMBERED = 1_000;

    private static final long BEFORE_RETRY = TimeUnit.MILLISECONDS.toNanos(500);

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final Timer timer;
    private final Ticker ticker;
    private final Grace grace;
    private final boolean isAsserted;
    /** The texts to write again, by the keys of their locks, the latest one last. Empty without a grace. */
    private final Map<String, Written> written = Collections.synchronizedMap(new LinkedHashMap<>());

    private final AtomicBoolean looks = new AtomicBoolean();
    /** The locks whose texts are being written again. */
    private final Set<String> asserting = ConcurrentHashMap.newKeySet();

    private record Written(String token, String text, long endsAt) {}

    /** The scripts of each record, which are read when a record is used for the first time. */
    private static final class Loaded {
        static final Script READ = Scripts.RECORD_READ.get();
        static final Script WRITE = Scripts.RECORD_WRITE.get();
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
        return gateway.run(
                        Loaded.READ,
                        List.of(key),
                        List.of(),
                        answer -> reading(answer.values(), answer.size() > 1 ? answer.text(1) : null, 0))
                .exceptionallyCompose(
                        failure -> CompletableFuture.failedFuture(RedisFailures.unavailable(name, failure)));
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
        return ((Guard) holder.guard()).send(Loaded.WRITE, List.of(), args).thenApply(answer -> {
            if (isAsserted && isWritten(answer)) {
                String token = Long.toString(holder.fencingToken());
                remember(holder.grant().key(), new Written(token, text, endsAt));
                if (looks.compareAndSet(false, true)) {
                    lookLater();
                }
            }
            return answer;
        });
    }

    private void remember(String key, Written text) {
        synchronized (written) {
            written.remove(key);
            written.put(key, text);
            if (written.size() > REMEMBERED) {
                written.remove(written.keySet().iterator().next());
            }
        }
    }

    private void lookLater() {
        timer.after(grace.nanosBetweenLooks(), () -> {
            lookLater();
            look();
        });
    }

    /**
     * Asks each master whether its slots are closed. Redis can lose its data without ending a connection, and a client that only remembers texts asks
     * for nothing else.
     */
    private void look() {
        List<String> latestFirst = new ArrayList<>(List.copyOf(written.keySet()));
        Collections.reverse(latestFirst);
        if (!latestFirst.isEmpty()) {
            gateway.masters()
                    .thenAccept(masters -> masters.forEach(master -> master.slots()
                            .thenAccept(own -> latestFirst.stream()
                                    .filter(key -> own.get(RedisGateway.slotOf(key)))
                                    .findFirst()
                                    .ifPresent(this::look))));
        }
    }

    private void look(String key) {
        Written last = written.get(key);
        if (last != null && !hasEnded(last)) {
            send(key, last).thenAccept(answer -> {
                if ((Long) answer.get(0) != GRANTS_LOCKS) {
                    grace.holdersSpeak();
                }
            });
        }
    }

    /** Writes all texts again that Redis may have lost. Called when it may grant nothing yet. */
    void assertAll() {
        List.copyOf(written.keySet()).forEach(this::assertAgain);
    }

    private void assertAgain(String key) {
        Written last = written.get(key);
        if (last == null || hasEnded(last)) {
            written.remove(key);
        } else if (asserting.add(key)) {
            send(key, last).whenComplete((answer, failure) -> {
                asserting.remove(key);
                if (failure != null && RedisFailure.of(failure).isTransient()) {
                    timer.after(BEFORE_RETRY, () -> assertAgain(key));
                }
            });
        }
    }

    private boolean hasEnded(Written text) {
        return text.endsAt() - ticker.now() < TimeUnit.MILLISECONDS.toNanos(1);
    }

    private CompletableFuture<List<Object>> send(String key, Written last) {
        List<String> args = List.of(grace.argument(), grace.millisUntil(last.endsAt()), last.token(), last.text());
        return gateway.run(Scripts.RECORD_ASSERT.get(), keys.withTokenKey(List.of(key)), args);
    }

    /** Ends all retries. */
    void close() {
        written.clear();
    }
}

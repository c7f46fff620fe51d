package dev.holdfast.lock.spring.journal;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.spring.LockJournal.ServerChange;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Notes when Redis is another server. It asks at the first event, and after trouble with each event until there is an answer, so a client without trouble
 * sends nothing for it. Thread-safe.
 */
final class ServerChanges {

    private static final int MOST = 100;

    /** A self-check is several commands. */
    private static final long PACE = TimeUnit.MILLISECONDS.toNanos(500);

    private final Supplier<LockClient> client;
    private final Deque<ServerChange> changes = new ArrayDeque<>();
    private boolean doubtful = true;
    private @Nullable CompletableFuture<?> asked;
    private long askedAt;
    private String known = "";
    private Instant sameUntil = Instant.EPOCH;

    ServerChanges(Supplier<LockClient> client) {
        this.client = client;
    }

    void onEvent(LockEvent event) {
        boolean asks;
        synchronized (this) {
            doubtful |= event instanceof LockEvent.RenewalTrouble
                    || event instanceof LockEvent.Unavailable
                    || (event instanceof LeaseLoss loss && loss.cause() == LossCause.GONE);
            asks = doubtful && (asked == null || (asked.isDone() && System.nanoTime() - askedAt > PACE));
        }
        if (asks) {
            var unused = ask();
        }
    }

    /** Asks which server answers. */
    CompletionStage<?> ask() {
        CompletableFuture<?> answered = client.get()
                .selfCheck()
                .thenApply(SelfCheck::replicationId)
                .thenAccept(this::answered)
                .toCompletableFuture();
        synchronized (this) {
            asked = answered;
            askedAt = System.nanoTime();
        }
        return answered;
    }

    private synchronized void answered(String replicationId) {
        Instant now = Instant.now();
        if (!known.isEmpty() && !replicationId.isEmpty() && !known.equals(replicationId)) {
            if (changes.size() == MOST) {
                changes.removeFirst();
            }
            changes.addLast(new ServerChange(sameUntil, now));
        }
        known = replicationId;
        sameUntil = now;
        doubtful = false;
    }

    synchronized List<ServerChange> list() {
        return new ArrayList<>(changes);
    }
}

package dev.holdfast.lock.connection;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.connection.RedisFailure.Kind;
import dev.holdfast.lock.lease.Ticker;
import dev.holdfast.lock.lease.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends the wait for answers that do not come. All commands have the same patience, so they run out in the order in which they were sent: one
 * queue and one timer serve them all, and a command that is answered costs nothing more.
 */
final class Patience {

    private static final int LOOKS = 8;

    private record Pending(CompletableFuture<?> answer, AtomicBoolean sent, long until) {}

    private final ConcurrentLinkedQueue<Pending> pending = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final Duration limit;
    private final Timer timer;
    private final Ticker ticker;

    Patience(Duration limit, Timer timer, Ticker ticker) {
        this.limit = limit;
        this.timer = timer;
        this.ticker = ticker;
    }

    Duration limit() {
        return limit;
    }

    /**
     * Limits a wait.
     *
     * @param answer failed when the time is over
     * @param sent whether anything was sent by then; read behind the answer's monitor
     */
    void limit(CompletableFuture<?> answer, AtomicBoolean sent) {
        pending.add(new Pending(answer, sent, ticker.now() + limit.toNanos()));
        if (looking.compareAndSet(false, true)) {
            lookLater();
        }
    }

    private void lookLater() {
        timer.after(limit.toNanos() / LOOKS, this::look);
    }

    private void look() {
        long now = ticker.now();
        Pending oldest = pending.peek();
        while (oldest != null && (oldest.answer.isDone() || oldest.until - now <= 0)) {
            pending.remove();
            if (!oldest.answer.isDone()) {
                expire(oldest);
            }
            oldest = pending.peek();
        }
        if (oldest != null) {
            lookLater();
            return;
        }
        looking.set(false);
        if (!pending.isEmpty() && looking.compareAndSet(false, true)) {
            lookLater();
        }
    }

    private void expire(Pending overdue) {
        synchronized (overdue.answer) {
            boolean sent = overdue.sent.get();
            String message = sent
                    ? "no answer within " + LogText.time(limit)
                    : "not sent: no connection within " + LogText.time(limit);
            overdue.answer.completeExceptionally(
                    new RedisFailure(sent ? Kind.NO_ANSWER : Kind.NOT_SENT, message, new TimeoutException(message)));
        }
    }
}

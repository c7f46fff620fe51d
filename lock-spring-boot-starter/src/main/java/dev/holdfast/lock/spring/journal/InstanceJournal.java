package dev.holdfast.lock.spring.journal;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.spring.LockJournal;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** The journal of this instance. The client's listeners receive its events on a thread of their own, so a reader waits for those under way. */
final class InstanceJournal implements LockJournal, LockListener {

    private static final int FORMAT = 1;
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(1);

    private final EventRing ring;
    private final Supplier<LockClient> client;
    private final ServerChanges changes;
    private final Instant startedAt = Instant.now();

    InstanceJournal(EventRing ring, Supplier<LockClient> client) {
        this.ring = ring;
        this.client = client;
        this.changes = new ServerChanges(client);
    }

    @Override
    public void onEvent(LockEvent event) {
        ring.onEvent(event);
        changes.onEvent(event);
    }

    @Override
    public Contents read() {
        LockClient locks = client.get();
        Instant readAt = Instant.now();
        long acquired = locks.statistics().acquired();
        awaitServer();
        awaitAcquisitions(acquired);
        EventRing.View view = ring.view();
        return new Contents(
                FORMAT,
                locks.clientName(),
                startedAt,
                view.lastOverwritten() == null ? startedAt : view.lastOverwritten(),
                readAt,
                view.overwritten(),
                Math.max(0, acquired - view.acquired()),
                changes.list(),
                view.entries());
    }

    /** A server that does not answer now is no reason to keep the journal back. */
    private void awaitServer() {
        try {
            changes.ask().toCompletableFuture().get(PATIENCE, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException unanswered) {
            // The journal then has the changes that were noticed before.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitAcquisitions(long acquired) {
        long end = System.nanoTime() + PATIENCE;
        try {
            while (ring.acquired() < acquired && System.nanoTime() - end < 0) {
                // Listeners tell nobody that they have caught up.
                TimeUnit.MILLISECONDS.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

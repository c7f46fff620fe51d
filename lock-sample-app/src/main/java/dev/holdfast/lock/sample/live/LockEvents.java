package dev.holdfast.lock.sample.live;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.sample.stock.StockWrite;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Sends the events of this instance's locks to the pages that show them. */
@Component
class LockEvents implements LockListener {

    private final LiveEvents live;
    private final Grants grants;
    private final Clock clock = Clock.systemUTC();

    LockEvents(LiveEvents live, Grants grants) {
        this.live = live;
        this.grants = grants;
    }

    @Override
    public void onAcquired(LockEvent.Acquired event) {
        Happening acquired = happening(event, event.fencingToken(), event.waited(), event.takenOver(), null, null);
        try {
            // First, so that the database has whatever a page has heard of, even if this process is killed now.
            grants.add(event.lockName(), event.fencingToken());
        } finally {
            live.send("acquired", acquired);
        }
    }

    @Override
    public void onReleased(LockEvent.Released event) {
        live.send("released", happening(event, event.fencingToken(), event.held(), event.handedOver(), null, null));
    }

    @Override
    public void onTimedOut(LockEvent.TimedOut event) {
        live.send("busy", happening(event, 0, event.waited(), false, null, null));
    }

    @Override
    public void onUnavailable(LockEvent.Unavailable event) {
        live.send("unavailable", happening(event, 0, event.waited(), false, null, null));
    }

    @Override
    public void onLost(LeaseLoss loss) {
        live.send(
                "lost",
                happening(
                        loss,
                        loss.fencingToken(),
                        loss.held(),
                        false,
                        loss.cause().name(),
                        loss.cause().description()));
    }

    @Override
    public void onRenewalTrouble(LockEvent.RenewalTrouble event) {
        live.send(
                "trouble",
                happening(
                        event,
                        event.fencingToken(),
                        event.remaining(),
                        false,
                        null,
                        "a renewal failed and is repeated"));
    }

    @EventListener
    void onStockWrite(StockWrite write) {
        live.send(
                "write",
                new Write(
                        write.item(),
                        write.quantity(),
                        Long.toString(write.fence()),
                        write.accepted(),
                        clock.millis()));
    }

    private Happening happening(
            LockEvent event,
            long token,
            Duration time,
            boolean handedOver,
            @Nullable String cause,
            @Nullable String text) {
        return new Happening(
                event.lockName(),
                event.kind().name(),
                Long.toString(token),
                time.toMillis(),
                handedOver,
                cause,
                text,
                clock.millis());
    }

    /**
     * An event of a lock.
     *
     * @param lock the lock
     * @param kind its kind
     * @param token the fencing token, as text, because JavaScript's numbers are not exact beyond 2^53
     * @param millis how long the caller waited or the holder held the lock, or how long the lease still lasts
     * @param handedOver whether the lock was handed over inside this instance, without Redis
     * @param cause why the lock was lost, if it was
     * @param text a description, if there is one
     * @param at the time, in milliseconds since 1970
     */
    record Happening(
            String lock,
            String kind,
            String token,
            long millis,
            boolean handedOver,
            @Nullable String cause,
            @Nullable String text,
            long at) {}

    /**
     * An attempt to write the stock.
     *
     * @param item the item
     * @param quantity its quantity
     * @param token the fencing token
     * @param accepted false if the database refused the write as stale
     * @param at the time, in milliseconds since 1970
     */
    record Write(String item, int quantity, String token, boolean accepted, long at) {}
}

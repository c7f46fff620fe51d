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

/** Hears what happens to this instance's locks and hands it to the live stream. */
@Component
class LockEvents implements LockListener {

    private final LiveEvents live;
    private final Clock clock = Clock.systemUTC();

    LockEvents(LiveEvents live) {
        this.live = live;
    }

    @Override
    public void onAcquired(LockEvent.Acquired event) {
        send("acquired", event, event.fencingToken(), event.waited(), null);
    }

    @Override
    public void onReleased(LockEvent.Released event) {
        send("released", event, event.fencingToken(), event.held(), null);
    }

    @Override
    public void onTimedOut(LockEvent.TimedOut event) {
        send("busy", event, 0, event.waited(), null);
    }

    @Override
    public void onLost(LeaseLoss loss) {
        send("lost", loss, loss.fencingToken(), loss.held(), loss.cause().description());
    }

    @Override
    public void onRenewalTrouble(LockEvent.RenewalTrouble event) {
        send("trouble", event, event.fencingToken(), event.remaining(), "a renewal failed and is tried again");
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

    private void send(String type, LockEvent event, long token, Duration time, @Nullable String text) {
        live.send(
                type,
                new Happening(
                        event.lockName(),
                        event.kind().name(),
                        Long.toString(token),
                        time.toMillis(),
                        text,
                        clock.millis()));
    }

    /**
     * Something that happened to a lock.
     *
     * @param lock the lock
     * @param kind its kind
     * @param token the fencing token, as text: it is beyond what JavaScript's numbers hold exactly
     * @param millis how long was waited or held, or how long the lease still lasts
     * @param text what there is to say
     * @param at when, in milliseconds since 1970
     */
    record Happening(
            String lock,
            String kind,
            String token,
            long millis,
            @Nullable String text,
            long at) {}

    /**
     * A try to write the stock.
     *
     * @param item what was counted
     * @param quantity how many
     * @param token the fencing token
     * @param accepted false if it came too late
     * @param at when, in milliseconds since 1970
     */
    record Write(String item, int quantity, String token, boolean accepted, long at) {}
}

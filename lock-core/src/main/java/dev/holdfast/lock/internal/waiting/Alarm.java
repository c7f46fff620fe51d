package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import org.jspecify.annotations.Nullable;

/** A room's one alarm. Once set it only moves earlier, until it rings or is stopped. Used behind the room's {@link Mailbox}, and rings there. */
final class Alarm {

    private final Timer timer;
    private final Ticker ticker;
    private final Mailbox mailbox;
    private final Runnable onRing;
    private Timer.@Nullable Timeout set;
    private long at;
    private long number;

    Alarm(Timer timer, Ticker ticker, Mailbox mailbox, Runnable onRing) {
        this.timer = timer;
        this.ticker = ticker;
        this.mailbox = mailbox;
        this.onRing = onRing;
    }

    /** Rings at that moment, unless it is set to an earlier one. */
    void noLaterThan(long moment) {
        if (set != null && at - moment <= 0) {
            return;
        }
        stop();
        at = moment;
        long present = number;
        set = timer.after(moment - ticker.now(), () -> mailbox.post(() -> ring(present)));
    }

    /** Whether it should have rung by now. */
    boolean isDue() {
        return set != null && at - ticker.now() <= 0;
    }

    void stop() {
        Timer.Timeout planned = set;
        if (planned != null) {
            planned.cancel();
            set = null;
        }
        number++;
    }

    /** One that was stopped may have rung already and be on its way through the mailbox. */
    private void ring(long which) {
        if (which == number) {
            set = null;
            onRing.run();
        }
    }
}

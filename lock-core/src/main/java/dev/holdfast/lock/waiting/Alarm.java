package dev.holdfast.lock.waiting;

import dev.holdfast.lock.lease.Timer;
import org.jspecify.annotations.Nullable;

/** A room's one alarm: set anew, it forgets the earlier time. Used behind the room's {@link Mailbox}, and rings there. */
final class Alarm {

    private final Timer timer;
    private final Mailbox mailbox;
    private final Runnable onRing;
    private Timer.@Nullable Alarm set;

    Alarm(Timer timer, Mailbox mailbox, Runnable onRing) {
        this.timer = timer;
        this.mailbox = mailbox;
        this.onRing = onRing;
    }

    void set(long nanos) {
        stop();
        set = timer.after(nanos, () -> mailbox.post(this::ring));
    }

    boolean isSet() {
        return set != null;
    }

    void stop() {
        Timer.Alarm planned = set;
        if (planned != null) {
            planned.cancel();
            set = null;
        }
    }

    private void ring() {
        set = null;
        onRing.run();
    }
}

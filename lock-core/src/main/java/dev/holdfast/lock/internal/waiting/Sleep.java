package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.PollSchedule.Messages;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What wakes a room that sleeps: messages, which it subscribes to, and an alarm. Used by the events of its room only. */
final class Sleep {

    /** An alarm that was stopped may ring nevertheless, and is then not the room's any more. */
    final class Alarm implements Runnable {

        private final Timer.Timeout timeout;

        Alarm(long nanos) {
            timeout = room.rooms.timer.after(nanos, this);
        }

        @Override
        public void run() {
            room.post(new Event.AlarmRang(this));
        }
    }

    private final WaitingRoom room;
    private @Nullable Alarm alarm;
    private long alarmAt;
    private boolean subscribing;
    private boolean subscriptionRefused;

    Sleep(WaitingRoom room) {
        this.room = room;
    }

    /** Sets the alarm. Once set it only moves earlier, until it rings or is stopped. */
    void until(long moment) {
        if (alarm == null || alarmAt - moment > 0) {
            stop();
            alarmAt = moment;
            alarm = new Alarm(moment - room.rooms.ticker.now());
        }
    }

    void stop() {
        if (alarm != null) {
            alarm.timeout.cancel();
            alarm = null;
        }
    }

    /** Whether the alarm should have rung by now. */
    boolean isOver() {
        return alarm != null && alarmAt - room.rooms.ticker.now() <= 0;
    }

    boolean isMine(Alarm rang) {
        return rang == alarm;
    }

    /** Makes sure that the room hears of the release that it waits for. */
    Messages listen(Answer refusal) {
        if (refusal instanceof Busy busy) {
            CompletionStage<Void> ready = subscribing || subscriptionRefused ? null : room.place.listen(busy);
            if (ready != null) {
                subscribing = true;
                ready.whenComplete((done, failure) -> room.post(new Event.Subscribed(failure != null)));
            }
            if (!room.place.isSubscribed()) {
                return subscribing ? Messages.EXPECTED : Messages.NONE;
            }
        }
        return Messages.ARRIVE;
    }

    void subscribed(boolean refused) {
        subscribing = false;
        subscriptionRefused = refused;
    }
}

package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.PollSchedule.Messages;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The sleep of a room. Messages, to which it subscribes, and an alarm end the sleep. Used only by the events of the room. */
final class Sleep {

    /** An alarm of the room. An alarm may ring after it was stopped; the room then ignores it. */
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

    /** Sets the alarm. An alarm that is already set moves only to an earlier time, until it rings or is stopped. */
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

    /** Returns whether the alarm should have rung by now. */
    boolean isOver() {
        return alarm != null && alarmAt - room.rooms.ticker.now() <= 0;
    }

    boolean isMine(Alarm rang) {
        return rang == alarm;
    }

    /** Ensures that the room is notified of the release that it waits for. Returns whether messages arrive. */
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

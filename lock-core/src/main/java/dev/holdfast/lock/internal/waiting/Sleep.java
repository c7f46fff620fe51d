package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.PollSchedule.Messages;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The sleep of a room. Messages, to which it subscribes, and an alarm end the sleep. Used only by the events of the room. */
final class Sleep implements Runnable {

    private final WaitingRoom room;
    private Timer.@Nullable Timeout alarm;
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
            alarm = room.rooms.timer.after(moment - room.rooms.ticker.now(), this);
        }
    }

    void stop() {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
    }

    /** Returns whether the alarm should have rung by now. */
    boolean isOver() {
        return alarm != null && alarmAt - room.rooms.ticker.now() <= 0;
    }

    /** Called on the timer's thread when an alarm rings, possibly just after it was stopped. */
    @Override
    public void run() {
        room.post(Event.AlarmRang.ALARM_RANG);
    }

    /** Returns whether an alarm is set. If not, the alarm that rings was stopped. If a new one was set since, the room may ask once too often. */
    boolean isSet() {
        return alarm != null;
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

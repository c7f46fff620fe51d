package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LogText;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Logs each lock event as one line of JSON, for {@code holdfast-check judge}. The names of the fields are on its page, and stay. A listener costs each
 * acquisition an event, so there is none unless the logger is on when the client is made.
 */
final class EventLog implements LockListener {

    private static final Log LOG = LogFactory.getLog("dev.holdfast.lock.events");

    private final ObjectProvider<LockClient> client;
    private final Instant since = Instant.now();
    private @Nullable String instance;
    private long number;

    EventLog(ObjectProvider<LockClient> client) {
        this.client = client;
    }

    static boolean isOn() {
        return LOG.isDebugEnabled();
    }

    @Override
    public void onAcquired(LockEvent.Acquired event) {
        write("acquired", event, event.fencingToken(), event.waited(), null, null, event.takenOver(), null);
    }

    @Override
    public void onReleased(LockEvent.Released event) {
        write("released", event, event.fencingToken(), null, event.held(), null, event.handedOver(), null);
    }

    @Override
    public void onLost(LeaseLoss loss) {
        String cause = loss.cause().name();
        write("lost", loss, loss.fencingToken(), null, loss.held(), loss.sinceConfirmed(), false, cause);
    }

    @Override
    public void onTimedOut(LockEvent.TimedOut event) {
        write("refused", event, 0, event.waited(), null, null, false, "BUSY");
    }

    @Override
    public void onUnavailable(LockEvent.Unavailable event) {
        write("refused", event, 0, event.waited(), null, null, false, "UNAVAILABLE");
    }

    @Override
    public void onRenewalTrouble(LockEvent.RenewalTrouble event) {
        write("trouble", event, event.fencingToken(), null, null, null, false, null);
    }

    private synchronized void write(
            String type,
            LockEvent event,
            long token,
            @Nullable Duration waited,
            @Nullable Duration held,
            @Nullable Duration unconfirmed,
            boolean handedOver,
            @Nullable String cause) {
        if (instance == null) {
            instance = client.getObject().clientName();
        }
        number++;
        LOG.debug("{\"instance\":" + quoted(instance) + ",\"since\":\"" + since + "\",\"number\":" + number
                + ",\"at\":\"" + Instant.now() + "\",\"event\":\"" + type + "\",\"lock\":"
                + quoted(event.lockName()) + ",\"kind\":\"" + event.kind() + "\",\"token\":"
                + (token == 0 ? null : "\"" + token + "\"") + ",\"waitedMicros\":" + micros(waited)
                + ",\"heldMicros\":" + micros(held) + ",\"unconfirmedMicros\":" + micros(unconfirmed)
                + ",\"handedOver\":" + handedOver + ",\"cause\":" + quoted(cause) + "}");
    }

    private static @Nullable Long micros(@Nullable Duration time) {
        return time == null ? null : TimeUnit.NANOSECONDS.toMicros(time.toNanos());
    }

    private static @Nullable String quoted(@Nullable String text) {
        return text == null ? null : '"' + LogText.escape(text).replace("\"", "\\\"") + '"';
    }
}

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.waiting.ReleaseSignals;
import dev.holdfast.lock.internal.waiting.ReleaseSignals.Subscription;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages that releases send to this client: {@code <place> <token>} grants a lock to one of its places, {@code <place>} alone tells it to
 * ask. They come on one channel, in a cluster on one for each slot with a place. A channel without places is kept for a while: the next wait
 * then needs no subscription.
 */
public final class GrantMessages {

    /** In place of a token: ask. */
    static final long ASK = 0;

    private static final long LINGER = TimeUnit.SECONDS.toNanos(10);

    private final class Channel {
        final Map<String, LongConsumer> places = new ConcurrentHashMap<>();
        final Subscription subscription;
        Timer.@Nullable Timeout end;

        Channel(String name) {
            subscription = signals.subscribe(name, this::heard);
        }

        private void heard(String message) {
            if (message.equals(ReleaseSignals.MISSED)) {
                List.copyOf(places.values()).forEach(place -> place.accept(ASK));
                return;
            }
            int end = message.indexOf(' ');
            LongConsumer place = places.get(end < 0 ? message : message.substring(0, end));
            if (place != null) {
                place.accept(end < 0 ? ASK : token(message, end + 1));
            }
        }

        /** What cannot be read is a reason to ask. */
        private static long token(String message, int start) {
            try {
                return Long.parseLong(message, start, message.length(), 10);
            } catch (NumberFormatException e) {
                return ASK;
            }
        }
    }

    private final Map<String, Channel> channels = new ConcurrentHashMap<>();
    private final ReleaseSignals signals;
    private final Timer timer;
    private final String client;
    private volatile boolean closed;

    public GrantMessages(ReleaseSignals signals, Timer timer, String client) {
        this.signals = signals;
        this.timer = timer;
        this.client = client;
    }

    /** Whether messages to any place may arrive. */
    boolean isListening() {
        return !channels.isEmpty();
    }

    /** As {@link #listen}, but only if that needs no subscription. */
    boolean hear(String prefix, String place, LongConsumer onMessage) {
        Channel channel = channels.computeIfPresent(prefix, (name, present) -> {
            present.places.put(place, onMessage);
            return present;
        });
        return channel != null && isReady(channel.subscription.ready().toCompletableFuture());
    }

    private static boolean isReady(CompletableFuture<Void> ready) {
        return ready.isDone() && !ready.isCompletedExceptionally();
    }

    /**
     * Hears from now on what is sent to a place.
     *
     * @param prefix what the channel's name begins with
     * @param onMessage gets the token of a grant, or {@link #ASK}
     * @return completes once messages arrive
     */
    CompletionStage<Void> listen(String prefix, String place, LongConsumer onMessage) {
        return channels.compute(prefix, (name, present) -> {
                    Channel channel = present == null ? new Channel(prefix + client) : present;
                    channel.places.put(place, onMessage);
                    return channel;
                })
                .subscription
                .ready();
    }

    void forget(String prefix, String place) {
        Channel channel = channels.get(prefix);
        if (channel != null && channel.places.remove(place) != null && channel.places.isEmpty()) {
            channels.computeIfPresent(prefix, (name, present) -> {
                if (present.end == null && !closed) {
                    present.end = timer.after(LINGER, () -> endIfUnused(prefix));
                }
                return present;
            });
        }
    }

    private void endIfUnused(String prefix) {
        channels.computeIfPresent(prefix, (name, present) -> {
            present.end = null;
            if (!present.places.isEmpty()) {
                return present;
            }
            present.subscription.cancel();
            return null;
        });
    }

    /** Plans nothing any more: the client has closed, and nobody waits. */
    void close() {
        closed = true;
        channels.keySet()
                .forEach(prefix -> channels.computeIfPresent(prefix, (name, present) -> {
                    if (present.end != null) {
                        present.end.cancel();
                    }
                    return present;
                }));
    }
}

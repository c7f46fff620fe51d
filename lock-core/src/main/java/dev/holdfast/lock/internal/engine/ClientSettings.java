package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a client, which its builder collected. They are the same for all of its sessions.
 *
 * @param pollNanos the longest sleep of a waiting client, after which it asks again although nothing has woken it
 * @param failoverGrace for how long Redis grants nothing after it may have lost locks; zero if it goes on at once
 * @param handOvers the largest number of times that one grant is handed over between local holders
 * @param handOverNanos how long after its tokens were drawn a grant can be handed over
 * @param listeners the listeners, which may change while the client runs
 * @param background threads, clocks and random numbers
 * @param scheduler runs the timed tasks, or null if the client's own threads run them
 */
public record ClientSettings(
        String keyPrefix,
        Duration watchdogTimeout,
        Duration defaultWait,
        long pollNanos,
        int handOvers,
        long handOverNanos,
        int minReplicas,
        Duration failoverGrace,
        boolean writersFirst,
        boolean checksAtStart,
        String clientName,
        Duration clientNameLifetime,
        boolean recordsSites,
        ConnectionSettings connection,
        List<LockListener> listeners,
        Executor callbacks,
        Background background,
        Ticker ticker,
        @Nullable ScheduledExecutorService scheduler) {

    /** How long after its tokens were drawn a grant can be handed over, unless the client has another setting. */
    public static final Duration USUAL_HAND_OVER = Duration.ofMillis(20);
}

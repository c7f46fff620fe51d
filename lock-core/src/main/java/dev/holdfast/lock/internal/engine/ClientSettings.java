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
 * How a client behaves, as its builder was told. The same for each of its starts.
 *
 * @param pollNanos how long a waiting client sleeps at most before it asks again although nothing wakes it
 * @param handOvers how many times one grant is handed over between local holders at most
 * @param handOverNanos for how long after its tokens were drawn it is handed over
 * @param listeners may change while the client runs
 * @param background threads, clocks and chance
 * @param scheduler runs what is timed; null for threads of the client
 */
public record ClientSettings(
        String keyPrefix,
        Duration watchdogTimeout,
        Duration defaultWait,
        long pollNanos,
        int handOvers,
        long handOverNanos,
        int minReplicas,
        boolean writersFirst,
        boolean checksAtStart,
        String clientName,
        Duration clientNameLifetime,
        @Nullable Duration longHoldThreshold,
        boolean recordsSites,
        ConnectionSettings connection,
        List<LockListener> listeners,
        Executor callbacks,
        Background background,
        Ticker ticker,
        @Nullable ScheduledExecutorService scheduler) {}

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.connection.ConnectionSettings;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * How a client behaves, as its builder was told.
 *
 * @param pollNanos how long a waiting client sleeps at most before it asks again although nothing wakes it
 * @param handOffs how many times one grant is passed on between local holders at most
 * @param handOffNanos for how long after its tokens were drawn it is passed on
 */
public record ClientSettings(
        String keyPrefix,
        Duration watchdogTimeout,
        Duration defaultWait,
        int minReplicas,
        boolean recordsSites,
        long pollNanos,
        int handOffs,
        long handOffNanos,
        ConnectionSettings connection,
        Executor callbacks) {}

package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.waiting.WaitingRules;
import java.time.Duration;
import java.util.concurrent.Executor;

/** How a client behaves, as its builder was told. */
public record ClientSettings(
        String keyPrefix,
        Duration watchdogTimeout,
        Duration defaultWait,
        int minReplicas,
        boolean recordsSites,
        WaitingRules waiting,
        ConnectionSettings connection,
        Executor callbacks) {}

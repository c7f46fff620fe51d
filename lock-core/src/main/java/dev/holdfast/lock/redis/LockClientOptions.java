package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.engine.ClientSettings;
import dev.holdfast.lock.internal.inspect.ClientNames;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.thread.CallbackThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** The options of a client, with their defaults. */
final class LockClientOptions implements Cloneable {

    List<LockListener> listeners = new ArrayList<>();
    String keyPrefix = "";
    Duration watchdogTimeout = Duration.ofSeconds(30);
    Duration defaultWait = Duration.ofSeconds(10);
    Duration pollInterval = Duration.ofSeconds(1);
    int handOffs = 32;
    Duration handOffTime = Duration.ofMillis(20);
    int minReplicas;
    boolean writersFirst = true;
    boolean checkAtStart = true;

    @Nullable
    Duration commandTimeout;

    @Nullable
    String clientName;

    String applicationName = "";
    Duration clientNameLifetime = ClientNames.LIFETIME;

    @Nullable
    Duration longHoldThreshold;

    boolean recordAcquisitionSites;
    Executor callbackExecutor = CallbackThreads.SHARED;
    Ticker ticker = Ticker.system();

    @Nullable
    ScheduledExecutorService scheduler;

    /** A client may start again after its builder was changed. The list of listeners may change while the client runs. */
    LockClientOptions copy() {
        try {
            LockClientOptions copy = (LockClientOptions) clone();
            copy.listeners = new CopyOnWriteArrayList<>(listeners);
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    ClientSettings settings() {
        return new ClientSettings(
                keyPrefix,
                watchdogTimeout,
                defaultWait,
                minReplicas,
                recordAcquisitionSites,
                LeaseTerms.nanos("pollInterval", pollInterval),
                handOffs,
                LeaseTerms.nanos("time", handOffTime),
                ConnectionSettings.forLease(watchdogTimeout).withCommandTimeout(commandTimeout),
                callbackExecutor);
    }
}

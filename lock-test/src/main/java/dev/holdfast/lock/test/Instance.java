package dev.holdfast.lock.test;

import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.event.EventPublisher;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTable;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.test.memory.MemoryGateway;
import dev.holdfast.lock.test.memory.MemoryRedis;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One application instance: a lock client of the usual kind, whose Redis is in memory. */
final class Instance implements RedisGateway.Opener {

    /** The poll interval. No message is lost in memory, so a waiter need not ask between messages. */
    private static final Duration POLL = Duration.ofMinutes(30);

    /** The number of waits of a millisecond each. If the process is suspended, only one of them is used up. */
    private static final int WAITS_FOR_LISTENERS = 1_000;

    private final MemoryRedis server;
    private final Background background;
    private final FaultyTraffic traffic;
    private final System.Logger.Level lossLevel;
    private final RedisLockClient client;
    private volatile @Nullable LeaseTable leases;
    private volatile @Nullable EventPublisher events;

    Instance(
            String name,
            MemoryRedis server,
            VirtualClock clock,
            Background background,
            Executor callbacks,
            System.Logger.Level lossLevel,
            Consumer<RedisLockClientBuilder> settings) {
        this.server = server;
        this.background = background;
        this.lossLevel = lossLevel;
        this.traffic = new FaultyTraffic(clock);
        RedisLockClientBuilder builder = RedisLockClient.builder(RedisSource.simulated(this))
                .clientName(name)
                .pollInterval(POLL);
        settings.accept(builder);
        // Set after the application's settings, to override them. A lock that a test leaves is reported with its stack
        // trace.
        this.client = builder.checkAtStart(false)
                .recordAcquisitionSites(true)
                .clock(clock::now)
                .scheduler(clock.scheduler())
                .callbackExecutor(callbacks)
                .buildStopped();
        client.start();
    }

    @Override
    public RedisGateway open(ConnectionSettings settings, Timer timer, Ticker ticker) {
        traffic.patience(settings.commandTimeout());
        return new MemoryGateway(server, traffic, ticker);
    }

    @Override
    public Background background() {
        return background;
    }

    @Override
    public System.Logger.Level lossLevel() {
        return lossLevel;
    }

    @Override
    public void started(LeaseTable table, EventPublisher publisher) {
        leases = table;
        events = publisher;
    }

    RedisLockClient client() {
        return client;
    }

    FaultyTraffic traffic() {
        return traffic;
    }

    Stream<HeldLease> leases() {
        LeaseTable now = leases;
        return now == null ? Stream.of() : now.held();
    }

    /** Returns whether a caller waits for a lock or an answer. */
    boolean isAwaited() {
        return client.statistics().waiting() > 0 || traffic.hasLateAnswers();
    }

    /** Returns a number that increases whenever a wait has ended, a lease has begun or was lost, or a late answer has arrived. */
    long state() {
        LockStatistics now = client.statistics();
        return now.acquired() + now.busy() + now.unavailable() + now.lost() + traffic.answers();
    }

    /** Waits until the listeners have received all earlier events. Returns false if a listener takes too long. */
    boolean awaitListeners() {
        EventPublisher now = events;
        if (now == null || !client.isStarted()) {
            return true;
        }
        Future<?> delivered = now.delivered();
        for (int i = 0; i < WAITS_FOR_LISTENERS && !delivered.isDone(); i++) {
            try {
                delivered.get(1, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return delivered.isDone();
            } catch (ExecutionException | TimeoutException e) {
                // A listener may itself wait for something.
            }
        }
        return delivered.isDone();
    }
}

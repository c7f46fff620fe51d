package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.CheckReturnValue;
import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.background.CallbackThreads;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.engine.ClientSettings;
import dev.holdfast.lock.internal.inspect.ClientNames;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.reign.Grace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Builds a lock client. Each option method returns the builder. Not thread-safe. */
public final class RedisLockClientBuilder {

    /** The largest number of hand-overs of one grant. Each of its holders needs one of the grant's {@link FencingTokens#FOR_EACH_GRANT} tokens. */
    private static final int MOST_HAND_OVERS = 999;

    private final RedisSource source;
    private final List<LockListener> listeners = new ArrayList<>();
    private String keyPrefix = "";
    private Duration watchdogTimeout = Duration.ofSeconds(30);
    private Duration defaultWait = Duration.ofSeconds(10);
    private Duration pollInterval = Duration.ofSeconds(1);
    private int handOvers = 32;
    private Duration handOverTime = ClientSettings.USUAL_HAND_OVER;
    private int minReplicas;
    private Duration failoverGrace = Duration.ZERO;
    private boolean writersFirst = true;
    private boolean checkAtStart = true;
    private @Nullable Duration commandTimeout;
    private @Nullable String clientName;
    private String applicationName = "";
    private Duration clientNameLifetime = ClientNames.LIFETIME;
    private boolean recordAcquisitionSites;
    private Executor callbackExecutor = CallbackThreads.SHARED;
    private Ticker ticker;
    private @Nullable ScheduledExecutorService scheduler;

    RedisLockClientBuilder(RedisSource source) {
        this.source = source;
        this.ticker = source.background()::nanoTime;
    }

    /** Sets the prefix of every lock's key. Empty by default. */
    public RedisLockClientBuilder keyPrefix(String prefix) {
        keyPrefix = Arguments.notNull("keyPrefix", prefix);
        return this;
    }

    /**
     * Sets the time after which the lock of a crashed holder expires. It is the lease of all acquisitions without a given lease. A live holder renews
     * the lease whenever a third of this time has passed. 30 s by default.
     *
     * @param timeout 10 ms to 24 h
     */
    public RedisLockClientBuilder watchdogTimeout(Duration timeout) {
        watchdogTimeout = AcquireOptions.checkLease("watchdogTimeout", timeout);
        return this;
    }

    /**
     * Sets how long {@code acquire} waits if no wait is given. 10 s by default.
     *
     * @param wait zero or more
     */
    public RedisLockClientBuilder defaultWait(Duration wait) {
        defaultWait = Arguments.notNegative("defaultWait", wait);
        return this;
    }

    /**
     * Sets the longest time after which a waiting client asks Redis again without a message. A lost message delays a waiter by at most this time. 1 s
     * by default.
     *
     * @param interval 1 ms or more
     */
    public RedisLockClientBuilder pollInterval(Duration interval) {
        if (Arguments.notNegative("pollInterval", interval).compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("'pollInterval' must be at least PT0.001S, was " + interval);
        }
        pollInterval = interval;
        return this;
    }

    /**
     * Sets how often, and for how long, threads of this client hand a released lock over to each other before other clients get it. The first limit
     * that is reached applies. 32 times and 20 ms by default.
     *
     * <p>All these threads use fencing tokens that Redis drew for the first thread. If Redis loses the lock in the meantime and grants it to another
     * client, later threads of this client can get tokens below the other client's token, for at most this time. So keep the time short if you use
     * fencing tokens.
     *
     * @param times 0 (never) to 999
     * @param time the time limit, counted from the moment at which the first of these threads asked Redis for the lock
     */
    public RedisLockClientBuilder handOver(int times, Duration time) {
        if (times < 0 || times > MOST_HAND_OVERS) {
            throw new IllegalArgumentException("'times' must be between 0 and " + MOST_HAND_OVERS + ", was " + times);
        }
        handOvers = times;
        handOverTime = Arguments.notNegative("time", time);
        return this;
    }

    /**
     * Sets the number of replicas that must confirm an acquisition. Costs one more round trip. Makes it less likely, but not impossible, that a
     * failover loses a lock. 0 by default.
     */
    public RedisLockClientBuilder minReplicas(int replicas) {
        if (replicas < 0) {
            throw new IllegalArgumentException("'minReplicas' must not be negative, was " + replicas);
        }
        minReplicas = replicas;
        return this;
    }

    /**
     * Sets for how long Redis grants no lock after it may have lost locks: after a failover, a restart, or {@code FLUSHALL}. In this time, those who
     * hold locks say so, and their runs go on. So no lock has two holders through a failover. Zero, the default, grants locks at once.
     *
     * <p>Give all clients of a Redis the same grace. Two thirds of it are for the longest lease: {@link #watchdogTimeout} and every given lease must
     * be that short. For half of the watchdog timeout, a master that was replaced may still serve others, which {@code min-replicas-to-write} and
     * {@code min-replicas-max-lag} of the server limit. The Redis user needs the right to {@code INFO}.
     *
     * @param grace zero, or at least one and a half times the watchdog timeout, and at most 24 h
     */
    public RedisLockClientBuilder failoverGrace(Duration grace) {
        failoverGrace = Arguments.notNegative("failoverGrace", grace);
        return this;
    }

    private Duration checkedGrace() {
        Duration least = Grace.shortest(watchdogTimeout);
        boolean isOn = !failoverGrace.isZero();
        if (isOn && (failoverGrace.compareTo(least) < 0 || failoverGrace.compareTo(AcquireOptions.MAX_LEASE) > 0)) {
            throw new IllegalArgumentException("'failoverGrace' must be zero, or at least " + least
                    + ", one and a half times the watchdog timeout of " + watchdogTimeout + ", and at most "
                    + AcquireOptions.MAX_LEASE + ", was " + failoverGrace
                    + ": a lock could be granted again while a holder still relies on its lease");
        }
        return failoverGrace;
    }

    /**
     * Sets whether a waiting writer blocks new readers, so that a stream of readers cannot starve it. On by default. Readers of other libraries
     * ignore waiting writers. If off, waiting writers of this client block no readers, and readers of this client ignore the waiting writers of other
     * clients.
     *
     * @param first false to admit new readers while other readers hold the lock
     */
    public RedisLockClientBuilder writersFirst(boolean first) {
        writersFirst = first;
        return this;
    }

    /**
     * Sets how long Redis may take to answer. By default, this is a third of the watchdog timeout, at most 2 s.
     *
     * @param timeout more than zero
     */
    public RedisLockClientBuilder commandTimeout(Duration timeout) {
        // Limits the timeout, because a long cannot hold more nanoseconds than about 292 years.
        commandTimeout = Arguments.positive("commandTimeout", timeout).compareTo(AcquireOptions.MAX_LEASE) > 0
                ? AcquireOptions.MAX_LEASE
                : timeout;
        return this;
    }

    /**
     * Sets whether the client checks, when it first reaches Redis, that the server is suitable for locks, and logs the findings. On by default. The
     * check sends about ten commands and delays no call.
     *
     * @see LockClient#selfCheck()
     */
    public RedisLockClientBuilder checkAtStart(boolean check) {
        checkAtStart = check;
        return this;
    }

    /**
     * Sets the name of this client. {@link LockClient#inspect(String)} returns the name, and a caller that is refused a lock held by this client sees
     * it. All users of that Redis can read it. By default, the name consists of the host's name and the process id, after the {@linkplain
     * #applicationName(String) application's name} if one is given.
     *
     * @param name 1 to 200 bytes of UTF-8, without control characters, line breaks or backslashes
     */
    public RedisLockClientBuilder clientName(String name) {
        clientName = ClientNames.check(name);
        return this;
    }

    /**
     * Sets the application's name. It is placed before the host and the process id if no {@link #clientName(String)} is given: {@code
     * orders@host:4711}. A long name is cut off.
     */
    public RedisLockClientBuilder applicationName(String name) {
        applicationName = Arguments.notNull("applicationName", name);
        return this;
    }

    /** Sets how long a client's name is kept in Redis. For tests. */
    RedisLockClientBuilder clientNameLifetime(Duration lifetime) {
        clientNameLifetime = lifetime;
        return this;
    }

    /**
     * Sets whether each acquisition records the stack of its thread, so that {@link HeldLock} and the reports of abandoned locks show
     * where the lock was acquired. Off by default, because walking a stack is slow.
     */
    public RedisLockClientBuilder recordAcquisitionSites(boolean record) {
        recordAcquisitionSites = record;
        return this;
    }

    /** Adds a listener. */
    public RedisLockClientBuilder listener(LockListener listener) {
        listeners.add(Arguments.notNull("listener", listener));
        return this;
    }

    /**
     * Sets the executor for callers' code: functions that are chained to a returned stage, and callbacks of {@link Lease#onLost}. By default, this
     * code runs on daemon threads that all clients share. The number of these threads grows while callbacks block, so no callback delays another one.
     * Neither renewals nor the client's own steps run on this executor. With a bounded executor, callbacks wait for each other. An executor that runs
     * tasks in the calling thread would block the client's own threads.
     *
     * @param executor the executor, which the client does not shut down. Tasks that it rejects run on the default threads
     */
    public RedisLockClientBuilder callbackExecutor(Executor executor) {
        callbackExecutor = CallbackThreads.orShared(Arguments.notNull("executor", executor));
        return this;
    }

    /** Sets a monotonic clock, like {@link System#nanoTime()}. For tests. */
    public RedisLockClientBuilder clock(LongSupplier nanoTime) {
        ticker = nanoTime::getAsLong;
        return this;
    }

    /** Sets the scheduler for all timed tasks, which the client does not shut down. For tests. */
    public RedisLockClientBuilder scheduler(ScheduledExecutorService scheduler) {
        this.scheduler = scheduler;
        return this;
    }

    /** Builds and starts the client. Connects in the background. */
    @CheckReturnValue
    public LockClient build() {
        RedisLockClient client = buildStopped();
        client.start();
        return client;
    }

    /**
     * Builds the client without starting it, for an application that starts and stops the client together with its other components. Before the
     * start, locks can be created, but an acquisition fails with {@link LockUnavailableException}.
     *
     * @see RedisLockClient#start()
     */
    @CheckReturnValue
    public RedisLockClient buildStopped() {
        return new RedisLockClient(
                new ClientSettings(
                        keyPrefix,
                        watchdogTimeout,
                        defaultWait,
                        LeaseTerms.nanos("pollInterval", pollInterval),
                        handOvers,
                        LeaseTerms.nanos("time", handOverTime),
                        minReplicas,
                        checkedGrace(),
                        writersFirst,
                        checkAtStart,
                        clientName == null ? ClientNames.ofThisProcess(applicationName) : clientName,
                        clientNameLifetime,
                        recordAcquisitionSites,
                        ConnectionSettings.forLease(watchdogTimeout).withCommandTimeout(commandTimeout),
                        new CopyOnWriteArrayList<>(listeners),
                        callbackExecutor,
                        source.background(),
                        ticker,
                        scheduler),
                source);
    }
}

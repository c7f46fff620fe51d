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

    /** Each holder needs one of the {@link FencingTokens#FOR_EACH_GRANT} tokens of a grant. */
    private static final int MOST_HAND_OVERS = 999;

    private final RedisSource source;
    private final List<LockListener> listeners = new ArrayList<>();
    private String keyPrefix = "";
    private Duration watchdogTimeout = Duration.ofSeconds(30);
    private Duration defaultWait = Duration.ofSeconds(10);
    private Duration pollInterval = Duration.ofSeconds(1);
    private int handOvers = 32;
    private Duration handOverTime = Duration.ofMillis(20);
    private int minReplicas;
    private boolean writersFirst = true;
    private boolean checkAtStart = true;
    private @Nullable Duration commandTimeout;
    private @Nullable String clientName;
    private String applicationName = "";
    private Duration clientNameLifetime = ClientNames.LIFETIME;
    private @Nullable Duration longHoldThreshold;
    private boolean recordAcquisitionSites;
    private Executor callbackExecutor = CallbackThreads.SHARED;
    private Ticker ticker;
    private @Nullable ScheduledExecutorService scheduler;

    RedisLockClientBuilder(RedisSource source) {
        this.source = source;
        this.ticker = source.background()::nanoTime;
    }

    /** Prefix of every lock's key. Empty by default. */
    public RedisLockClientBuilder keyPrefix(String prefix) {
        keyPrefix = notNull("keyPrefix", prefix);
        return this;
    }

    /**
     * Time after which a crashed holder's lock expires: the lease of locks without a given lease. Live holders renew it at a third of it. 30 s by
     * default.
     *
     * @param timeout 10 ms to 24 h
     */
    public RedisLockClientBuilder watchdogTimeout(Duration timeout) {
        watchdogTimeout = AcquireOptions.checkLease("watchdogTimeout", timeout);
        return this;
    }

    /**
     * How long {@code acquire} waits if no wait is given. 10 s by default.
     *
     * @param wait zero or more
     */
    public RedisLockClientBuilder defaultWait(Duration wait) {
        defaultWait = notNegative("defaultWait", wait);
        return this;
    }

    /**
     * Longest time until a waiting client asks Redis again without a message. A lost message delays a waiter by this time. 1 s by default.
     *
     * @param interval 1 ms or more
     */
    public RedisLockClientBuilder pollInterval(Duration interval) {
        if (notNegative("pollInterval", interval).compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("'pollInterval' must be at least PT0.001S, was " + interval);
        }
        pollInterval = interval;
        return this;
    }

    /**
     * How often, and for how long, threads of this client hand a released lock over to each other before other clients get it. 32 times or 20 ms by
     * default.
     *
     * <p>All these threads have fencing tokens that Redis drew for the first of them. If Redis loses the lock meanwhile and grants it to another client,
     * threads that come after that can get a token below the other client's, for this time at most. So keep it short if you use fencing tokens.
     *
     * @param times 0 (never) to 999
     * @param time since the first of these threads asked Redis for it
     */
    public RedisLockClientBuilder handOver(int times, Duration time) {
        if (times < 0 || times > MOST_HAND_OVERS) {
            throw new IllegalArgumentException("'times' must be between 0 and " + MOST_HAND_OVERS + ", was " + times);
        }
        handOvers = times;
        handOverTime = notNegative("time", time);
        return this;
    }

    /**
     * Number of replicas that must confirm an acquisition. Costs a round trip. It reduces what a failover can lose, but does not exclude it. 0 by
     * default.
     */
    public RedisLockClientBuilder minReplicas(int replicas) {
        if (replicas < 0) {
            throw new IllegalArgumentException("'minReplicas' must not be negative, was " + replicas);
        }
        minReplicas = replicas;
        return this;
    }

    /**
     * Whether a waiting writer blocks new readers, so that a stream of readers cannot starve it. On by default. Readers of other libraries ignore
     * it. If off, this client's writers block no readers, and its readers ignore other clients' writers.
     *
     * @param first false to admit readers while others read
     */
    public RedisLockClientBuilder writersFirst(boolean first) {
        writersFirst = first;
        return this;
    }

    /**
     * How long Redis may take to answer. By default a third of the watchdog timeout, at most 2 s.
     *
     * @param timeout more than zero
     */
    public RedisLockClientBuilder commandTimeout(Duration timeout) {
        // More nanoseconds than a long has are no more patient.
        commandTimeout = positive("commandTimeout", timeout).compareTo(AcquireOptions.MAX_LEASE) > 0
                ? AcquireOptions.MAX_LEASE
                : timeout;
        return this;
    }

    /**
     * Whether the client checks, when it first reaches Redis, that the server is fit for locks, and logs the findings. On by default. Costs some ten
     * commands and delays no call.
     *
     * @see LockClient#selfCheck()
     */
    public RedisLockClientBuilder checkAtStart(boolean check) {
        checkAtStart = check;
        return this;
    }

    /**
     * Name of this client, shown to callers that are refused a lock that it holds and by {@link LockClient#inspect(String)}. All users of that Redis
     * can read it. By default the host's name and the process id, after the {@linkplain #applicationName(String) application's name} if that is
     * given.
     *
     * @param name 1 to 200 bytes of UTF-8, without control characters, line breaks or backslashes
     */
    public RedisLockClientBuilder clientName(String name) {
        clientName = ClientNames.check(name);
        return this;
    }

    /**
     * Application's name to put before the host and the process id if no {@link #clientName(String)} is given: {@code orders@host:4711}. A long name
     * is cut off.
     */
    public RedisLockClientBuilder applicationName(String name) {
        applicationName = notNull("applicationName", name);
        return this;
    }

    /** For tests. */
    RedisLockClientBuilder clientNameLifetime(Duration lifetime) {
        clientNameLifetime = lifetime;
        return this;
    }

    /**
     * Reports each lease that is held for longer than this, once, to the log and to {@link LockListener#onLongHold}. The report comes up to a
     * quarter of this time later, at most 5 s. Off by default.
     *
     * @param threshold more than zero
     * @see #recordAcquisitionSites(boolean)
     */
    public RedisLockClientBuilder longHoldThreshold(Duration threshold) {
        longHoldThreshold = positive("longHoldThreshold", threshold);
        return this;
    }

    /**
     * Whether each acquisition records the stack of its thread, so that {@link HeldLock} and the reports of long holds and abandoned locks show
     * where the lock was acquired. Off by default, because walking a stack is slow.
     */
    public RedisLockClientBuilder recordAcquisitionSites(boolean record) {
        recordAcquisitionSites = record;
        return this;
    }

    /** Adds a listener. */
    public RedisLockClientBuilder listener(LockListener listener) {
        listeners.add(notNull("listener", listener));
        return this;
    }

    /**
     * Executor for callers' code: everything that is chained to a returned stage, and the callbacks of {@link Lease#onLost}. By default daemon
     * threads that all clients share. Their number grows while callbacks block, so no callback delays another one. Neither renewals nor the client's
     * own steps run there. With a bounded executor, callbacks wait for each other. An executor that runs tasks in the calling thread would block the
     * client's own threads.
     *
     * @param executor not shut down with the client. What it rejects runs on the default threads
     */
    public RedisLockClientBuilder callbackExecutor(Executor executor) {
        callbackExecutor = CallbackThreads.orShared(notNull("executor", executor));
        return this;
    }

    /** Monotonic clock like {@link System#nanoTime()}, for tests. */
    public RedisLockClientBuilder clock(LongSupplier nanoTime) {
        ticker = nanoTime::getAsLong;
        return this;
    }

    /** Scheduler for all timed tasks, for tests. Not shut down with the client. */
    public RedisLockClientBuilder scheduler(ScheduledExecutorService scheduler) {
        this.scheduler = scheduler;
        return this;
    }

    private static <T> T notNull(String what, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("'" + what + "' must not be null");
        }
        return value;
    }

    private static Duration positive(String what, Duration duration) {
        if (notNegative(what, duration).isZero()) {
            throw new IllegalArgumentException("'" + what + "' must be more than zero");
        }
        return duration;
    }

    private static Duration notNegative(String what, @Nullable Duration duration) {
        if (duration == null || duration.isNegative()) {
            throw new IllegalArgumentException("'" + what + "' must not be negative, was " + duration);
        }
        return duration;
    }

    /** Builds the client and starts it: it connects in the background. */
    @CheckReturnValue
    public LockClient build() {
        RedisLockClient client = buildStopped();
        client.start();
        return client;
    }

    /**
     * Builds the client without starting it, for an application that starts and stops it with its other parts. Until then locks can be created, but
     * acquiring one fails with {@link LockUnavailableException}.
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
                        writersFirst,
                        checkAtStart,
                        clientName == null ? ClientNames.ofThisProcess(applicationName) : clientName,
                        clientNameLifetime,
                        longHoldThreshold,
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

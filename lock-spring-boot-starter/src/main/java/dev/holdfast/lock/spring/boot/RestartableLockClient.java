package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.WaitingLock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * A lock client that starts and stops with the application's context, as often as that does. The bean and the locks it gave out stay the
 * same; behind them each start opens a client, since a restarted context has other connections. Thread-safe.
 *
 * <p>It starts before, and stops after, whatever calls annotated methods: web servers, listeners, schedulers, executors. So when it stops
 * nothing new comes in; what still runs keeps its renewed locks until it is done or the grace time ends.
 */
public final class RestartableLockClient implements LockClient, SmartLifecycle {

    /** After the connection factory (0); before executors and schedulers (half of the range), web servers and listeners (near its end). */
    public static final int PHASE = Integer.MAX_VALUE / 4;

    private static final LockStatistics NOTHING_YET =
            new LockStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Duration.ZERO);

    private final Supplier<LockClient> opener;
    private final Consumer<LockClient> check;
    private final Duration shutdownGrace;
    private final Object lifecycle = new Object();
    /** Kept when closed: a body that outlived the grace time then learns from it that its lease was lost. */
    private volatile @Nullable LockClient present;

    private volatile boolean running;

    /**
     * Creates the client without opening anything.
     *
     * @param opener opens a client at each start, without waiting for Redis
     * @param check told of each opened client; may throw to refuse the start
     * @param shutdownGrace how long holders may take when the context stops
     */
    public RestartableLockClient(Supplier<LockClient> opener, Consumer<LockClient> check, Duration shutdownGrace) {
        this.opener = opener;
        this.check = check;
        this.shutdownGrace = shutdownGrace;
    }

    @Override
    public void start() {
        synchronized (lifecycle) {
            if (running) {
                return;
            }
            LockClient opened = opener.get();
            try {
                check.accept(opened);
            } catch (RuntimeException e) {
                opened.close();
                throw e;
            }
            present = opened;
            running = true;
        }
    }

    /** Blocks for the grace time at the most: the factory that the connections come from is only stopped after that. */
    @Override
    public void stop() {
        close(shutdownGrace);
    }

    @Override
    public void close(Duration grace) {
        synchronized (lifecycle) {
            LockClient closing = present;
            if (running && closing != null) {
                closing.close(grace);
                running = false;
            }
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public LeaseLock lock(String name, LockKind kind) {
        LockClient client = present;
        if (client != null) {
            // A bad name is refused here and not only when it is used.
            client.lock(name, kind);
        }
        return new PresentLock(this, name, kind, now -> now.lock(name, kind));
    }

    @Override
    public LeaseLock multiLock(Collection<String> names) {
        List<String> copy = List.copyOf(names);
        LockClient client = present;
        if (client != null) {
            client.multiLock(copy);
        }
        return new PresentLock(this, String.join(", ", copy), null, now -> now.multiLock(copy));
    }

    @Override
    public CompletionStage<Void> raiseTokens(String name, long token) {
        LockClient client = present;
        return client == null ? CompletableFuture.failedFuture(notStarted(name)) : client.raiseTokens(name, token);
    }

    @Override
    public Optional<LockState> inspect(String name) {
        return require(name).inspect(name);
    }

    @Override
    public boolean forceRelease(String name) {
        return require(name).forceRelease(name);
    }

    @Override
    public List<HeldLock> heldLocks() {
        LockClient client = present;
        return client == null ? List.of() : client.heldLocks();
    }

    @Override
    public List<WaitingLock> waitingLocks() {
        LockClient client = present;
        return client == null ? List.of() : client.waitingLocks();
    }

    /** Counted since the last start. */
    @Override
    public LockStatistics statistics() {
        LockClient client = present;
        return client == null ? NOTHING_YET : client.statistics();
    }

    @Override
    public CompletionStage<SelfCheck> selfCheck() {
        LockClient client = present;
        return client == null ? CompletableFuture.failedFuture(notStarted("self-check")) : client.selfCheck();
    }

    @Nullable
    LockClient present() {
        return present;
    }

    LockClient require(String lockName) {
        LockClient client = present;
        if (client == null) {
            throw notStarted(lockName);
        }
        return client;
    }

    static LockUnavailableException notStarted(String lockName) {
        return new LockUnavailableException(
                lockName,
                "Lock '" + LogText.escape(lockName)
                        + "' is unavailable: the application context has not started its lock client yet. Take locks"
                        + " after the start, in an ApplicationRunner or a SmartLifecycle for example, not while beans are created",
                null);
    }
}

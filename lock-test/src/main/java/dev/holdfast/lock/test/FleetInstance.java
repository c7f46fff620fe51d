package dev.holdfast.lock.test;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.test.memory.MemoryGateway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** An instance of a fleet: a process with a lock client. Its clock, threads and random numbers come from the fleet. */
final class FleetInstance implements Background, RedisGateway.Opener {

    private static final double LONGEST_SWITCH = TimeUnit.MICROSECONDS.toNanos(60);

    private final SimulatedFleet fleet;
    private final String name;
    private final FleetConnection connection = new FleetConnection(this);
    private final List<VirtualClock.Task> missed = new ArrayList<>();
    private final LockClient client;
    private String lastNote = "";
    private boolean paused;

    FleetInstance(SimulatedFleet fleet, String name, Consumer<RedisLockClientBuilder> settings) {
        this.fleet = fleet;
        this.name = name;
        RedisLockClientBuilder builder =
                RedisLockClient.builder(RedisSource.simulated(this)).clientName(name);
        settings.accept(builder);
        this.client = builder.keyPrefix("")
                .checkAtStart(false)
                .callbackExecutor(roomSteps())
                .listener(new LockListener() {
                    @Override
                    public void onEvent(LockEvent event) {
                        note("lock '" + event.lockName() + "' " + LockHistory.Entry.described(event));
                    }
                })
                .build();
    }

    LockClient client() {
        return client;
    }

    void note(String what) {
        fleet.note(name, what);
        lastNote = what;
    }

    /** Adds a note unless it is the same as the last one, because a waiter asks repeatedly. */
    void noteOnce(String what) {
        if (!what.equals(lastNote)) {
            note(what);
        }
    }

    /** Runs a task in this process. If the process is paused when the task is due, the task runs after the pause. */
    VirtualClock.Task plan(Runnable task, long nanos) {
        return fleet.clock.plan(task, Math.max(1, nanos), TimeUnit.NANOSECONDS, this::mayRun);
    }

    /** Runs a task outside this process, so a pause does not delay it. */
    void planElsewhere(Runnable task, long nanos) {
        fleet.clock.plan(task, Math.max(1, nanos), TimeUnit.NANOSECONDS);
    }

    private boolean mayRun(VirtualClock.Task task) {
        if (paused) {
            missed.add(task);
        }
        return !paused;
    }

    void pause(boolean begin) {
        if (paused == begin) {
            return;
        }
        paused = begin;
        note(begin ? "-- paused" : "-- resumed");
        // The missed tasks run now, in order.
        missed.forEach(task -> planElsewhere(task, 0));
        missed.clear();
    }

    void connect(boolean begin) {
        if (connection.isConnected() == begin) {
            return;
        }
        note(begin ? "-- connected again" : "-- connection lost");
        if (begin) {
            connection.connect();
        } else {
            connection.disconnect();
        }
    }

    /** Returns the scheduler for the tasks that the test runs in this instance. */
    ScheduledExecutorService scheduler() {
        return new VirtualScheduler((task, delay, unit) -> plan(task, unit.toNanos(delay)), fleet.failures::add);
    }

    @Override
    public RedisGateway open(ConnectionSettings settings, Timer timer, Ticker ticker) {
        return new MemoryGateway(fleet.server, connection, ticker);
    }

    @Override
    public Background background() {
        return this;
    }

    /** Losses are in the history, so they need no warning in the log. */
    @Override
    public System.Logger.Level lossLevel() {
        return System.Logger.Level.DEBUG;
    }

    @Override
    public long nanoTime() {
        return fleet.clock.now();
    }

    @Override
    public long wallClockMillis() {
        return SimulatedFleet.START.plus(fleet.time()).toEpochMilli();
    }

    @Override
    public double random(double from, double to) {
        return from + fleet.random.nextDouble() * (to - from);
    }

    @Override
    public byte[] secureBytes(int count) {
        byte[] bytes = new byte[count];
        fleet.random.nextBytes(bytes);
        return bytes;
    }

    /** All tasks run on one thread, so one id suffices. */
    @Override
    public long idOf(Thread thread) {
        return 1;
    }

    @Override
    public ScheduledExecutorService timer(String ofThread) {
        return new VirtualScheduler((task, delay, unit) -> plan(task, unit.toNanos(delay)));
    }

    @Override
    public ExecutorService connectAttempts(String ofThreads) {
        return timer(ofThreads);
    }

    @Override
    public ScheduledExecutorService compositeSteps() {
        return timer("composites");
    }

    @Override
    public Executor work() {
        return roomSteps();
    }

    /** Models the threads of the process: tasks may overtake each other. */
    @Override
    public Executor roomSteps() {
        return task -> plan(task, (long) random(0, LONGEST_SWITCH));
    }

    /** Does nothing, because nothing reads the log. */
    @Override
    public void flushLog(Duration limit) {}

    @Override
    public <T> T get(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        fleet.runUntil(future, Long.MAX_VALUE);
        return future.get();
    }

    @Override
    public <T> T join(CompletableFuture<T> future) {
        fleet.runUntil(future, Long.MAX_VALUE);
        return future.join();
    }

    @Override
    public <T> T get(CompletableFuture<T> future, long longestNanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        fleet.runUntil(future, longestNanos);
        return future.get(0, TimeUnit.NANOSECONDS);
    }
}

package dev.holdfast.lock.test;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.test.memory.MemoryRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Several instances of an application, whose lock clients share one Redis in memory and one virtual clock. A number, the seed, decides how long each
 * request, answer and callback takes, and so their order: the same seed and the same test give the same history. The clients are the usual ones, with
 * the usual engine and scripts.
 *
 * <p>Nothing runs by itself. The thread of the test runs everything in {@link #advance}: timers, renewals, callbacks, and the tasks that the test
 * gave to a {@link #scheduler}. Therefore, the code under test uses {@code acquireAsync} and {@code releaseAsync}, and schedules its delays with that
 * scheduler. A call that blocks fails inside {@code advance}. Outside {@code advance}, a call that blocks runs the fleet until it returns.
 *
 * <p>No task takes time on the clock, and a fault occurs between two tasks, never during one. Not thread-safe. A fleet has no threads and need not be
 * closed.
 */
public final class SimulatedFleet {

    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final int USUAL_SIZE = 3;
    private static final long LONGEST_CALL = TimeUnit.HOURS.toNanos(1);
    private static final long LONGEST_CALM = TimeUnit.SECONDS.toNanos(10);
    private static final double SHORTEST_FAULT = TimeUnit.MILLISECONDS.toNanos(10);
    private static final double LONGEST_FAULT = TimeUnit.SECONDS.toNanos(60);

    final VirtualClock clock = new VirtualClock(Runnable::run);
    final MemoryRedis server = new MemoryRedis(clock::now, START, Runnable::run);
    final Random random;
    /** Failures of tasks. Without this list, nothing would report them. */
    final List<Throwable> failures = new ArrayList<>();

    private final long seed;
    private final List<FleetInstance> instances;
    private final List<String> lines = new ArrayList<>();

    private SimulatedFleet(long seed, int size, Consumer<RedisLockClientBuilder> settings) {
        this.seed = seed;
        this.random = new Random(seed);
        this.instances = IntStream.range(0, size)
                .mapToObj(number -> new FleetInstance(this, "instance-" + number, settings))
                .toList();
    }

    /** Creates a fleet of three instances. */
    public static SimulatedFleet create(long seed) {
        return create(seed, USUAL_SIZE);
    }

    /** Creates a fleet. */
    public static SimulatedFleet create(long seed, int instances) {
        return create(seed, instances, settings -> {});
    }

    /**
     * Creates a fleet with settings. Settings of the connection, the clock, the callbacks' executor and the key prefix have no effect.
     *
     * @param seed decides every order, and the {@linkplain #randomFaults random faults}
     * @param instances the number of instances, at least one
     * @param settings changes the defaults of each instance's client
     */
    public static SimulatedFleet create(long seed, int instances, Consumer<RedisLockClientBuilder> settings) {
        if (instances < 1) {
            throw new IllegalArgumentException("'instances' must be at least 1, was " + instances);
        }
        return new SimulatedFleet(seed, instances, settings);
    }

    /** Returns the number of instances. */
    public int size() {
        return instances.size();
    }

    /** Returns the lock client of an instance. The first instance is 0. */
    public LockClient client(int instance) {
        return instances.get(instance).client();
    }

    /**
     * Returns a scheduler that runs tasks in an instance, on the virtual clock. Use it for the test's calls in that instance and for delays of the
     * code under test. Supports single tasks only. If a task of {@code execute} or {@code schedule} throws an exception, {@link #advance} fails.
     */
    public ScheduledExecutorService scheduler(int instance) {
        return instances.get(instance).scheduler();
    }

    /**
     * Lets time pass, and runs all tasks that become due in this time.
     *
     * @throws AssertionError if a task of a {@link #scheduler} has failed or blocked, with the seed and the history
     */
    public void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("'time' must not be negative, was " + time);
        }
        clock.advance(time, () -> {});
        if (!failures.isEmpty()) {
            Throwable first = failures.get(0);
            failures.clear();
            throw explained(first);
        }
    }

    /** Returns the time that has passed on the clock. */
    public Duration time() {
        return clock.passed();
    }

    /**
     * Pauses a process, as a long garbage collection does. Its tasks and callbacks stop, but its clock continues. A pause that never ends is a crash.
     */
    public void pause(int instance) {
        instances.get(instance).pause(true);
    }

    /** Ends a pause. Tasks that became due during the pause run now, in order. */
    public void resume(int instance) {
        instances.get(instance).pause(false);
    }

    /** Ends an instance's connection to Redis. Requests that are in transit may or may not be executed. Later requests are not sent. */
    public void disconnect(int instance) {
        instances.get(instance).connect(false);
    }

    /** Connects an instance to Redis again. */
    public void reconnect(int instance) {
        instances.get(instance).connect(true);
    }

    /**
     * Lets the seed pause and disconnect each instance again and again, for 10 ms to 60 s each time.
     *
     * @param time the time for which faults occur; no fault lasts longer
     */
    public void randomFaults(Duration time) {
        long end = clock.now() + time.toNanos();
        instances.forEach(instance -> nextFault(instance, end));
    }

    private void nextFault(FleetInstance instance, long end) {
        long calm = (long) (random.nextDouble() * Math.min(LONGEST_CALM, end - clock.now()));
        boolean pauses = random.nextBoolean();
        // The order of magnitude is uniformly distributed.
        double length = SHORTEST_FAULT * Math.pow(LONGEST_FAULT / SHORTEST_FAULT, random.nextDouble());
        Runnable begin = () -> {
            fault(instance, pauses, true);
            Runnable over = () -> {
                fault(instance, pauses, false);
                if (clock.now() < end) {
                    nextFault(instance, end);
                }
            };
            instance.planElsewhere(over, Math.min((long) length, end - clock.now()));
        };
        instance.planElsewhere(begin, calm);
    }

    private static void fault(FleetInstance instance, boolean pauses, boolean begin) {
        if (pauses) {
            instance.pause(begin);
        } else {
            instance.connect(!begin);
        }
    }

    /** Adds a note to the history, for example that the code under test has written data. */
    public void note(int instance, String text) {
        instances.get(instance).note("note '" + text + "'");
    }

    void note(String instance, String what) {
        lines.add(String.format(Locale.ROOT, "%+10.3f s  %s  %s", time().toNanos() / 1e9, instance, what));
    }

    /** Returns the history: for each entry a line with the time, the instance and the text. A paused instance notes an event when it resumes. */
    public String history() {
        return String.join("\n", lines);
    }

    /**
     * Runs assertions.
     *
     * @throws AssertionError if they fail, with the seed and the history in its message
     */
    public void check(Runnable assertions) {
        try {
            assertions.run();
        } catch (AssertionError | RuntimeException e) {
            throw explained(e);
        }
    }

    private AssertionError explained(Throwable failure) {
        return new AssertionError(
                failure + "\nWith seed " + seed + " and " + size() + " instances. What happened:\n" + history(),
                failure);
    }

    /** Lets time pass until a call of the test has its answer. Stops after a limited time. */
    void runUntil(CompletableFuture<?> answer, long longestNanos) {
        if (answer.isDone()) {
            return;
        }
        if (clock.isMovedHere()) {
            IllegalStateException blocked = new IllegalStateException("A call blocks inside of advance(), where"
                    + " nothing else could run meanwhile. Use the asynchronous form, such as acquireAsync");
            failures.add(blocked);
            throw blocked;
        }
        long end = clock.now() + Math.min(longestNanos, LONGEST_CALL);
        clock.plan(() -> {}, end - clock.now(), TimeUnit.NANOSECONDS);
        while (!answer.isDone() && clock.now() < end) {
            clock.jump(thread -> false, () -> {});
        }
        if (!answer.isDone() && longestNanos > LONGEST_CALL) {
            throw explained(new IllegalStateException("A call has not returned within an hour of the clock"));
        }
    }
}

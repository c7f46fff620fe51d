package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.process.SingleThread;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A process with a client. Its clock, threads and random numbers come from the world. */
final class SimulatedProcess extends Actor implements SingleThread {

    private static final long LONGEST_SWITCH = TimeUnit.MICROSECONDS.toNanos(60);
    private static final long START = TimeUnit.DAYS.toNanos(1);

    final World world;
    private final Chance chance;
    private final Chance schedule;
    private final double rate;
    private final SimulatedTimer steps = new SimulatedTimer(this);
    final List<SimulatedTimer> timers = new ArrayList<>();
    /** The client part of its owner ids, one for each start. */
    final List<String> ids = new ArrayList<>();

    /**
     * Creates a process that runs.
     *
     * @param driftPpm by how much its clock is faster, in millionths
     */
    SimulatedProcess(World world, String name, int driftPpm) {
        super(name);
        this.world = world;
        this.chance = world.chance(name);
        this.schedule = world.chance(name + " schedule");
        this.rate = 1 + driftPpm / 1e6;
    }

    @Override
    public long nanoTime() {
        return START + (long) (world.now() * rate);
    }

    /** Converts a time on this process's clock to the world's time. */
    long inWorldTime(long nanos) {
        return nanos <= 0 ? 0 : (long) Math.ceil(Math.min(nanos, Long.MAX_VALUE / 4) / rate);
    }

    @Override
    public double random(double from, double to) {
        return from + chance.fraction() * (to - from);
    }

    @Override
    public byte[] secureBytes(int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) chance.next();
        }
        ids.add(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
        return bytes;
    }

    @Override
    public ScheduledExecutorService timer(String name) {
        SimulatedTimer timer = new SimulatedTimer(this);
        timers.add(timer);
        return timer;
    }

    @Override
    public ScheduledExecutorService compositeSteps() {
        return steps;
    }

    @Override
    public ExecutorService connectAttempts(String name) {
        return new SimulatedThreads(this);
    }

    /** Models the threads of the process: tasks may overtake each other. */
    @Override
    public void execute(Runnable task) {
        world.plan(this, schedule.between(0, LONGEST_SWITCH), task);
    }

    @Override
    public void await(CompletableFuture<?> future, long longestNanos) throws InterruptedException {
        SimulatedThreads.await(
                world, future, longestNanos == Long.MAX_VALUE ? Long.MAX_VALUE : inWorldTime(longestNanos));
    }

    @Override
    public void await(CompletableFuture<?> future) {
        world.fibers.await(future, Long.MAX_VALUE);
    }
}

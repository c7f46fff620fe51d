package dev.holdfast.lock.explore;

import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.simulation.process.SingleThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** A process with one client of the product. Its threads, timers, clock and random numbers come from the situation. */
final class ClientProcess implements SingleThread {

    /** Short, so that few moments pass until a lease of a dead holder ends. */
    static final int WATCHDOG_MILLIS = 1500;

    private static final Duration POLL = Duration.ofSeconds(1);

    private final Situation situation;
    final Scenario.Client plan;
    final char letter;
    final String name;
    final boolean hears;
    /** The tasks of all timers, the next one first. */
    final List<ProcessTimer.Task> planned = new ArrayList<>();

    final RedisLockClient client;
    final List<Caller> callers = new ArrayList<>();
    private @Nullable Wire wire;
    boolean paused;
    boolean dead;

    /** The call of {@code close()}; null if there is none. */
    @Nullable
    Blocked closing;

    ClientProcess(Situation situation, int number, Scenario.Client plan) {
        this.situation = situation;
        this.plan = plan;
        this.letter = (char) ('A' + number);
        this.name = String.valueOf(letter);
        this.hears = plan.hears();
        this.client = (RedisLockClient) RedisLockClient.builder(RedisSource.simulated(new Opener()))
                .clientName("client")
                .watchdogTimeout(Duration.ofMillis(WATCHDOG_MILLIS))
                .failoverGrace(Duration.ofMillis(situation.scenario().graceMillis()))
                .pollInterval(POLL)
                .checkAtStart(false)
                .callbackExecutor(this::execute)
                .build();
        for (int i = 0; i < plan.callers().size(); i++) {
            String caller = plan.callers().size() == 1 ? name : name + (i + 1);
            callers.add(new Caller(situation, this, caller, plan.callers().get(i)));
        }
    }

    Wire wire() {
        if (wire == null) {
            throw new IllegalStateException("The client has not been started");
        }
        return wire;
    }

    /** Returns whether the process goes on now. */
    boolean runs() {
        return !dead && !paused;
    }

    /** Returns a number that depends on what the client's callers have done, and on what is in transit. */
    int progress() {
        int progress = wire().inTransit();
        for (Caller caller : callers) {
            progress = 31 * progress + caller.progress();
        }
        return 31 * progress + planned.size();
    }

    boolean isClosed() {
        return closing != null && closing.hasEnded();
    }

    @Override
    public void execute(Runnable task) {
        situation.soon(() -> {
            if (!dead) {
                task.run();
            }
        });
    }

    private final class Opener implements RedisGateway.Opener {

        @Override
        public RedisGateway open(ConnectionSettings settings, Timer timer, Ticker ticker) {
            Wire opened = new Wire(situation, ClientProcess.this, settings, timer);
            wire = opened;
            return opened;
        }

        @Override
        public Background background() {
            return ClientProcess.this;
        }
    }

    @Override
    public long nanoTime() {
        return HeapDigest.FIRST_NANOS + situation.now();
    }

    @Override
    public double random(double from, double to) {
        return (from + to) / 2;
    }

    /** Returns bytes that become a readable part of each owner id of this client. */
    @Override
    public byte[] secureBytes(int count) {
        StringBuilder id = new StringBuilder(HeapDigest.CLIENT).append(name);
        while (id.length() < HeapDigest.CLIENT_LENGTH) {
            id.append('A');
        }
        byte[] bytes = Base64.getUrlDecoder().decode(id.toString());
        if (bytes.length != count) {
            throw new IllegalStateException(
                    count + " bytes do not fit to an owner id of " + id.length() + " characters");
        }
        return bytes;
    }

    @Override
    public ScheduledExecutorService timer(String purpose) {
        return new ProcessTimer(this);
    }

    @Override
    public ScheduledExecutorService compositeSteps() {
        return new ProcessTimer(this);
    }

    @Override
    public ExecutorService connectAttempts(String purpose) {
        return new ProcessTimer(this);
    }

    @Override
    public void await(CompletableFuture<?> future, long longestNanos) {
        situation.await(this, future, longestNanos);
    }

    @Override
    public void await(CompletableFuture<?> future) {
        await(future, Long.MAX_VALUE);
    }
}

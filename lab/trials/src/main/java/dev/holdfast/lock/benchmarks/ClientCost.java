package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Measures the client's own time and allocated bytes for each call, without Redis. JMH measures them with a simulated Redis that answers at once. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ClientCost {

    /** A client for all threads. */
    @State(Scope.Benchmark)
    public static class Client {

        final LockClient client = RedisLockClient.builder(RedisSource.simulated(new InstantRedis.Opener()))
                .checkAtStart(false)
                .build();
        final LeaseLock shared = client.getLock("shared");

        /** Ends the client's threads. */
        @TearDown
        public void close() {
            client.close();
        }
    }

    /** A client for each thread, with a lock that the thread holds. */
    @State(Scope.Thread)
    public static class Own {

        private final LockClient nested = RedisLockClient.builder(RedisSource.simulated(new InstantRedis.Opener()))
                .checkAtStart(false)
                .build();
        final LeaseLock held = nested.getLock("held");

        /** Acquires the lock, so that the measured call is nested. */
        @Setup
        public void hold() {
            held.lock();
        }

        /** Releases the lock and ends the client's threads. */
        @TearDown
        public void close() {
            held.unlock();
            nested.close();
        }
    }

    /** Creates the benchmark; called by JMH for each measurement. */
    public ClientCost() {}

    /** Acquires and releases a lock, with two commands. */
    @Benchmark
    public void lockAndUnlock(Client client) {
        client.shared.lock();
        try {
            // Empty, because only the lock is measured.
        } finally {
            client.shared.unlock();
        }
    }

    /** Acquires and releases a lock that the thread already holds, without a command. */
    @Benchmark
    public void lockAndUnlockNested(Own own) {
        own.held.lock();
        try {
            // Empty, because only the lock is measured.
        } finally {
            own.held.unlock();
        }
    }

    /** Gets a lock object: checks the name, and prepares the names of its keys and channels. */
    @Benchmark
    public LeaseLock askForALock(Client client) {
        return client.client.getLock("orders:4711");
    }

    /** Runs the measurements. JMH prints the results, with the bytes that each call allocates. */
    static void run() {
        int seconds = Integer.getInteger("seconds", 2);
        try {
            new Runner(new OptionsBuilder()
                            .include(ClientCost.class.getName() + "\\..*")
                            .forks(1)
                            .warmupIterations(3)
                            .warmupTime(TimeValue.seconds(seconds))
                            .measurementIterations(Integer.getInteger("rounds", 3))
                            .measurementTime(TimeValue.seconds(seconds))
                            .addProfiler(GCProfiler.class)
                            .build())
                    .run();
        } catch (RunnerException e) {
            throw new IllegalStateException(e);
        }
    }
}

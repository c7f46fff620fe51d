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

/** What needs no Redis: the client's own time and bytes for each call, measured by JMH with a Redis that answers at once. */
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

    /** A lock of its own for each thread. */
    @State(Scope.Thread)
    public static class Own {

        private final LockClient nested = RedisLockClient.builder(RedisSource.simulated(new InstantRedis.Opener()))
                .checkAtStart(false)
                .build();
        final LeaseLock held = nested.getLock("held");

        /** So that what is measured is nested. */
        @Setup
        public void hold() {
            held.lock();
        }

        /** Ends the client's threads. */
        @TearDown
        public void close() {
            held.unlock();
            nested.close();
        }
    }

    /** Created for each measurement by JMH. */
    public ClientCost() {}

    /** Two commands. */
    @Benchmark
    public void lockAndUnlock(Client client) {
        client.shared.lock();
        try {
            // Nothing: what is measured is the lock.
        } finally {
            client.shared.unlock();
        }
    }

    /** No command: the thread holds the lock already. */
    @Benchmark
    public void lockAndUnlockNested(Own own) {
        own.held.lock();
        try {
            // Nothing: what is measured is the lock.
        } finally {
            own.held.unlock();
        }
    }

    /** Checks the name, and makes what its locks are called by. */
    @Benchmark
    public LeaseLock askForALock(Client client) {
        return client.client.getLock("orders:4711");
    }

    /** Its results are printed, with the bytes allocated by each call. */
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

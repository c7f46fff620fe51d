package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.locks.Lock;

/** Holdfast with a known additional cost of each acquisition: one command, some kilobytes and some CPU time. */
final class SlowedContender implements Contender {

    static final int BYTES = 10_000;
    static final long CPU_NANOS = 200_000;

    private final Contender holdfast;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    SlowedContender(int port) {
        this.holdfast = new HoldfastContender(port);
        this.client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        this.connection = client.connect();
    }

    @Override
    public Lock lock(String name, LockKind kind) {
        Lock lock = holdfast.lock(name, kind);
        return new TriedLock() {
            @Override
            boolean take() {
                lock.lock();
                connection.sync().ping();
                byte[] waste = new byte[BYTES];
                for (long start = System.nanoTime(); System.nanoTime() - start < CPU_NANOS; ) {
                    waste[0]++;
                }
                return true;
            }

            @Override
            public void unlock() {
                lock.unlock();
            }
        };
    }

    @Override
    public void close() {
        client.shutdown();
        holdfast.close();
    }
}

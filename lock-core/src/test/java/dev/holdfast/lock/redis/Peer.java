package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.testing.RedisServer;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** An application that uses Redisson, and a thread of it: locks there are the thread's. */
final class Peer implements AutoCloseable {

    private final RedissonClient redisson;
    private final Actor actor = new Actor();

    private Peer(Config config) {
        this.redisson = Redisson.create(config);
    }

    static Peer of(RedisServer server) {
        return new Peer(config(server));
    }

    /** A configuration that keeps few threads and connections. */
    static Config config(RedisServer server) {
        Config config = new Config();
        config.setThreads(2).setNettyThreads(2).setLockWatchdogTimeout(2_000);
        config.useSingleServer()
                .setAddress("redis://127.0.0.1:" + server.port())
                .setConnectionPoolSize(4)
                .setConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionPoolSize(4)
                .setSubscriptionConnectionMinimumIdleSize(1);
        return config;
    }

    RedissonClient redisson() {
        return redisson;
    }

    RLock fair(String name) {
        return redisson.getFairLock(name);
    }

    Lock lock(String name, LockKind kind) {
        return switch (kind) {
            case FAIR -> fair(name);
            case READ -> redisson.getReadWriteLock(name).readLock();
            case WRITE -> redisson.getReadWriteLock(name).writeLock();
            default -> redisson.getLock(name);
        };
    }

    /** The peer's thread begins to do something. */
    <T> CompletableFuture<T> begins(Callable<T> deed) {
        return actor.begins(deed);
    }

    /** The peer's thread does it. */
    void runs(Actor.Deed deed) throws Exception {
        actor.runs(deed);
    }

    <T> T does(Callable<T> deed) throws Exception {
        return actor.does(deed);
    }

    @Override
    public void close() {
        actor.close();
        redisson.shutdown();
    }
}

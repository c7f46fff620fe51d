package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.NettyHook;
import org.redisson.config.Config;

/** Redisson with its defaults, or with few connections and threads, so that hundreds of clients fit into one JVM. */
final class RedissonContender implements Contender {

    private final RedissonClient client;
    /** The numbers that identify asynchronous holders. Redisson uses numbers for them instead of threads. */
    private final AtomicLong holders = new AtomicLong(1_000_000);

    private RedissonContender(Config config) {
        this.client = Redisson.create(config);
    }

    static RedissonContender withDefaults(int port) {
        Config config = counted();
        config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
        return new RedissonContender(config);
    }

    /** Creates a client with two connections and shared threads. A client with one thread never needs more. */
    static RedissonContender small(int port) {
        Config config = counted()
                .setEventLoopGroup(Shared.LOOPS)
                .setExecutor(Shared.THREADS)
                .setNettyExecutor(Shared.THREADS);
        config.useSingleServer()
                .setAddress("redis://127.0.0.1:" + port)
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(2)
                .setSubscriptionConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionPoolSize(50);
        return new RedissonContender(config);
    }

    private static Config counted() {
        return new Config().setNettyHook(new NettyHook() {
            @Override
            public void afterBoostrapInitialization(Bootstrap bootstrap) {}

            @Override
            public void afterChannelInitialization(Channel channel) {
                MessageCounter.install(channel);
            }
        });
    }

    @Override
    public Lock lock(String name, LockKind kind) {
        return switch (kind) {
            case FAIR -> client.getFairLock(name);
            case READ -> client.getReadWriteLock(name).readLock();
            case WRITE -> client.getReadWriteLock(name).writeLock();
            default -> client.getLock(name);
        };
    }

    @Override
    public CompletableFuture<Runnable> acquire(String name, boolean renewed) {
        RLock lock = client.getLock(name);
        long holder = holders.incrementAndGet();
        return (renewed ? lock.lockAsync(holder) : lock.lockAsync(10, TimeUnit.MINUTES, holder))
                .toCompletableFuture()
                .thenApply(done -> () -> lock.unlockAsync(holder));
    }

    @Override
    public void close() {
        client.shutdown();
    }

    /** Resources that all small clients of a JVM share. They are created by the first one. */
    private static final class Shared {
        static final EventLoopGroup LOOPS = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        static final ExecutorService THREADS = Executors.newFixedThreadPool(4);
    }
}

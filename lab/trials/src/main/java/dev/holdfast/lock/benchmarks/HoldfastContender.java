package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Holdfast with its defaults, and perhaps a failover grace. The clients of one JVM share their event loops. */
final class HoldfastContender implements Contender {

    private static final ClientResources SHARED = ClientResources.builder()
            .nettyCustomizer(new NettyCustomizer() {
                @Override
                public void afterChannelInitialized(Channel channel) {
                    MessageCounter.install(channel);
                }
            })
            .build();

    private static final Duration LONG = Duration.ofMinutes(10);

    private final LockClient client;

    HoldfastContender(int port) {
        this(port, Duration.ZERO);
    }

    HoldfastContender(int port, Duration failoverGrace) {
        RedisURI uri = RedisURI.create("127.0.0.1", port);
        RedisLockClientBuilder builder =
                RedisLockClient.builder(RedisSource.of(uri).withResources(SHARED));
        // An earlier build may not know this setting.
        this.client = (failoverGrace.isZero() ? builder : builder.failoverGrace(failoverGrace)).build();
        // Clients connect one after the other. Hundreds that connect at once would time out on two cores.
        client.connected().toCompletableFuture().join();
    }

    /** Waits until the check at the start has ended: this one begins later and sends the same commands. */
    void awaitSelfCheck() {
        client.selfCheck().toCompletableFuture().join();
    }

    @Override
    public LeaseLock lock(String name, LockKind kind) {
        return client.getLock(name, kind);
    }

    @Override
    public CompletableFuture<Runnable> acquire(String name, boolean renewed) {
        AcquireOptions options = AcquireOptions.defaults().waitAtMost(LONG);
        return client.getLock(name)
                .acquireAsync(renewed ? options : options.lease(LONG))
                .toCompletableFuture()
                .thenApply(lease -> lease::releaseAsync);
    }

    @Override
    public void close() {
        client.close();
    }
}

package dev.holdfast.lock.redis.client;

import static dev.holdfast.lock.redis.fixture.Waits.name;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.proxy.Acceptor;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A client that is built, started, closed and started again, and the locks that it gave out. */
class RestartedClientTest {

    private static final AcquireOptions PATIENT = AcquireOptions.defaults().waitAtMost(Await.PATIENCE);

    private final RedisServer server = RedisServer.shared();
    private final String name = name("restarted");

    private static RedisLockClient started(RedisLockClientBuilder builder) {
        RedisLockClient client = builder.buildStopped();
        client.start();
        return client;
    }

    @Test
    void lockWorksBeforeAndAfterARestart() {
        try (RedisLockClient client = started(Waits.client(server))) {
            LeaseLock lock = client.getLock(name);
            lock.acquire(PATIENT).close();
            for (int i = 0; i < 3; i++) {
                client.close();
                assertThat(client.isStarted()).isFalse();
                client.start();
                assertThat(client.isStarted()).isTrue();
                lock.lock();
                assertThat(server.cli().exists(name)).isOne();
                lock.unlock();
                assertThat(lock).isEqualTo(client.getLock(name));
            }
            assertThat(client.statistics().acquired()).isEqualTo(4);
        }
    }

    @Test
    void clientThatIsNotStartedOpensNothingAndSaysSo() throws Exception {
        RedisLockClient client = RedisLockClient.builder(RedisSource.of((Supplier<RedisClient>) () -> {
                    throw new AssertionError("opened");
                }))
                .buildStopped();
        LeaseLock lock = client.getLock(name);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(lock::acquire)
                .withMessageContaining("has not been started yet");
        assertThat(lock.acquireAsync(AcquireOptions.defaults())
                        .handle((lease, failure) -> failure)
                        .toCompletableFuture()
                        .get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(LockUnavailableException.class);
        assertThat(client.selfCheck().toCompletableFuture()).isCompletedExceptionally();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(client.heldLocks()).isEmpty();
        assertThat(client.waitingLocks()).isEmpty();
        assertThat(client.statistics().acquired()).isZero();
        client.close();
    }

    @Test
    void sourceIsAskedForTheApplicationsClientAtEachStart() {
        RedisClient first = RedisClient.create(server.uri());
        RedisClient second = RedisClient.create(server.uri());
        Queue<RedisClient> clients = new ArrayDeque<>(List.of(first, second));
        try (RedisLockClient client = started(RedisLockClient.builder(RedisSource.of(clients::remove)))) {
            client.getLock(name).acquire(PATIENT).close();
            client.close();
            first.shutdown();
            client.start();
            client.getLock(name).acquire(PATIENT).close();
        } finally {
            second.shutdown();
        }
    }

    @Test
    void holdOfAnEarlierStartIsLostAndTheLockCanBeTakenAnew() {
        try (RedisLockClient client = started(Waits.client(server))) {
            LeaseLock lock = client.getLock(name);
            lock.lock();
            client.close();
            client.start();
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
        }
    }

    @Test
    void laterChangesOfTheBuilderDoNotReachTheClient() {
        RedisLockClientBuilder builder = Waits.client(server).clientName("first");
        try (RedisLockClient client = builder.buildStopped();
                LockClient other = Waits.client(server).build()) {
            builder.clientName("second");
            client.start();
            try (Lease lease = client.getLock(name).acquire(PATIENT)) {
                assertThat(lease.isHeld()).isTrue();
                Await.until(
                        "the client's name is known",
                        Await.PATIENCE,
                        () -> other.inspect(name).orElseThrow().holders().stream()
                                .anyMatch(holder -> "first".equals(holder.clientName())));
            }
        }
    }

    /** The application shuts its Lettuce client down once the lock client is closed. */
    @Test
    void noAttemptToConnectOutlivesTheClose() throws InterruptedException {
        BlockingQueue<Thread> attempts = new LinkedBlockingQueue<>();
        ClientResources resources = ClientResources.builder()
                .socketAddressResolver(new SocketAddressResolver() {
                    @Override
                    public SocketAddress resolve(RedisURI address) {
                        attempts.add(Thread.currentThread());
                        return super.resolve(address);
                    }
                })
                .build();
        try (Acceptor silent = Acceptor.start(
                "silent", 0, connection -> connection.getInputStream().readAllBytes())) {
            RedisURI address = RedisURI.create("127.0.0.1", silent.port());
            // So that only the client's close ends the attempt.
            address.setTimeout(Duration.ofHours(1));
            RedisClient application = RedisClient.create(resources, address);
            LockClient client = RedisLockClient.create(RedisSource.of(() -> application));
            Thread attempt = attempts.take();
            client.close();
            // A thread that was interrupted may get no core for longer than a close waits. ReconnectingConnectionTest
            // shows that it waits.
            Await.until(
                    "the attempt has ended",
                    Await.PATIENCE,
                    () -> Stream.of(attempt.getStackTrace())
                            .noneMatch(running -> running.getClassName().startsWith("io.lettuce")));
            application.shutdown();
            resources.shutdown();
        }
    }
}

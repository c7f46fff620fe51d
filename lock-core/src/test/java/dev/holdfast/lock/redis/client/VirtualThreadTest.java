package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.background.CallbackThreads;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Virtual threads own locks like any others, and hold up nobody while they wait. Found by reflection: our floor is JDK 17. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VirtualThreadTest {

    private final String name = "virtual-" + UUID.randomUUID();
    private ExecutorService threads;
    private LockClient client;

    @BeforeEach
    void start() throws ReflectiveOperationException {
        try {
            threads = (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException e) {
            abort("JDK " + Runtime.version().feature() + " has no virtual threads; they come with 21");
        }
        client = Waits.client(RedisServer.shared()).build();
    }

    @AfterEach
    void stop() {
        if (client != null) {
            client.close();
            threads.shutdownNow();
        }
    }

    @Test
    void waitingVirtualThreadsOccupyNoCarrier() throws Exception {
        LeaseLock lock = client.getLock(name);
        lock.lock();
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        int many = 200;
        for (int i = 0; i < many; i++) {
            waiting.add(CompletableFuture.runAsync(
                    () -> {
                        lock.lock();
                        lock.unlock();
                    },
                    threads));
        }
        TwoClients.awaitWaiters(client, name, many);
        // Far more wait than there are carriers: if waiting pinned them, this one would never run.
        CountDownLatch ran = new CountDownLatch(1);
        threads.execute(ran::countDown);
        assertThat(ran.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        lock.unlock();
        CompletableFuture.allOf(waiting.toArray(CompletableFuture<?>[]::new))
                .get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** More callbacks than there are platform threads for them, and a virtual thread that computes on each carrier. */
    @Test
    void waitsEndWhileCallbacksBlockAndVirtualThreadsCompute() throws Exception {
        Lease holder = client.getLock(name).acquire();
        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch unblocked = new CountDownLatch(1);
        int callbacks = 300;
        CountDownLatch blocked = new CountDownLatch(callbacks);
        for (int i = 0; i < callbacks; i++) {
            CallbackThreads.SHARED.execute(() -> {
                blocked.countDown();
                Pause.until(unblocked);
            });
        }
        assertThat(blocked.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            threads.execute(() -> {
                while (!over.get()) {
                    Thread.onSpinWait();
                }
            });
        }
        try (LockClient other = Waits.client(RedisServer.shared()).build()) {
            LeaseLock lock = other.getLock(name);
            List<CompletableFuture<Boolean>> tries = IntStream.range(0, 200)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> tryFor(lock), task -> new Thread(task).start()))
                    .toList();
            CompletableFuture.allOf(tries.toArray(CompletableFuture<?>[]::new))
                    .get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(tries).noneMatch(CompletableFuture::join);
        } finally {
            over.set(true);
            unblocked.countDown();
            holder.close();
        }
    }

    private static boolean tryFor(LeaseLock lock) {
        try {
            return lock.tryLock(500, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

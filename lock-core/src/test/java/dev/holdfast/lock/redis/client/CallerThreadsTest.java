package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.composite.QuorumLock;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers' code delays neither the locks nor other callers' code, wherever it blocks. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(Await.TEST_SECONDS)
class CallerThreadsTest {

    /** More than a hundred times what it takes; without an end where a caller is in the way. */
    private static final Duration SOON = Await.PATIENCE;

    private final RedisServer server = RedisServer.shared();
    private final String name = "caller-threads-" + UUID.randomUUID() + "-";
    private final CountDownLatch end = new CountDownLatch(1);
    private final LockClient client = client().build();

    private RedisLockClientBuilder client() {
        return Waits.client(server);
    }

    @AfterEach
    void close() {
        end.countDown();
        client.close();
    }

    @Test
    void continuationsThatBlockDelayNoOtherAcquisition() throws Exception {
        int blocking = 2 * Runtime.getRuntime().availableProcessors() + 2;
        CountDownLatch blocked = new CountDownLatch(blocking);
        for (int i = 0; i < blocking; i++) {
            String lock = name + i;
            // On a thread of its own: where the answer is there before the continuation, its caller runs it.
            CriticalSection.onThread(() -> client.getLock(lock)
                    .acquireAsync(AcquireOptions.defaults())
                    .thenAccept(lease -> {
                        blocked.countDown();
                        Pause.until(end);
                    }));
        }
        assertThat(blocked.await(SOON.toSeconds(), TimeUnit.SECONDS))
                .as("all continuations began")
                .isTrue();
        CompletableFuture<Void> other = client.getLock(name + "other")
                .acquireAsync(AcquireOptions.defaults())
                .thenCompose(Lease::releaseAsync)
                .toCompletableFuture();
        assertThat(other).succeedsWithin(SOON);
    }

    /** On one or two processors CompletableFuture runs each asynchronous stage on a new thread, if it is not told otherwise. */
    @Test
    void manyAcquisitionsAndReleasesDoNotStartAThreadEach() {
        client.getLock(name).acquire().close();
        long before = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();

        List<CompletableFuture<Void>> holds = IntStream.range(0, 500)
                .mapToObj(i -> client.getLock(name + i)
                        .acquireAsync(AcquireOptions.defaults())
                        .thenCompose(Lease::releaseAsync)
                        .toCompletableFuture())
                .toList();
        holds.forEach(CompletableFuture::join);

        assertThat(ManagementFactory.getThreadMXBean().getTotalStartedThreadCount() - before)
                .as("threads started")
                .isLessThan(100);
    }

    @Test
    void callbacksOfLossesThatBlockDelayNoOther() throws Exception {
        int blocking = 2 * Runtime.getRuntime().availableProcessors() + 4;
        CountDownLatch blocked = new CountDownLatch(blocking);
        AcquireOptions fixed = AcquireOptions.defaults().lease(Duration.ofMillis(50));
        for (int i = 0; i < blocking; i++) {
            client.getLock(name + i).acquire(fixed).onLost(loss -> {
                blocked.countDown();
                Pause.until(end);
            });
        }
        assertThat(blocked.await(SOON.toSeconds(), TimeUnit.SECONDS))
                .as("all callbacks began")
                .isTrue();
    }

    /** A pool without workers is no worse. */
    @Test
    void blockedCommonPoolDelaysNoLock() throws Exception {
        blockCommonPool();
        LeaseLock single = client.getLock(name + "single");
        LeaseLock several = MultiLock.of(List.of(client.getLock(name + "a"), client.getLock(name + "b")));
        LeaseLock busy = MultiLock.of(List.of(client.getLock(name + "a"), client.getLock(name + "busy")));
        List<LockClient> others = List.of(
                client().build(),
                client().keyPrefix("2").build(),
                client().keyPrefix("3").build());
        try (ScriptedThread thread = new ScriptedThread()) {
            LeaseLock quorum = QuorumLock.of(name + "q", others);
            for (LeaseLock lock : List.of(single, several, quorum)) {
                assertThat(thread.start(() -> lock.tryLock(SOON)))
                        .as("%s", lock)
                        .succeedsWithin(SOON)
                        .isEqualTo(true);
                thread.run(lock::unlock);
                assertThat(lock.acquireAsync(AcquireOptions.defaults())
                                .thenCompose(Lease::releaseAsync)
                                .toCompletableFuture())
                        .as("%s", lock)
                        .succeedsWithin(SOON);
            }
            client.getLock(name + "busy").acquire();
            assertThat(thread.start(() -> busy.tryLock(Duration.ofMillis(200))))
                    .succeedsWithin(SOON)
                    .isEqualTo(false);
        } finally {
            others.forEach(LockClient::close);
        }
    }

    @Test
    void callersExecutorThatBlocksDelaysNoStepOfTheLocks() throws Exception {
        LinkedBlockingQueue<Runnable> never = new LinkedBlockingQueue<>();
        try (LockClient blocked = client().callbackExecutor(never::add).build()) {
            LeaseLock several = MultiLock.of(List.of(blocked.getLock(name + "a"), blocked.getLock(name + "b")));
            assertThat(several.tryLock(SOON)).isTrue();
            several.unlock();
            several.acquireAsync(AcquireOptions.defaults());
            Await.until("the completion waits for the caller's executor", SOON, () -> !never.isEmpty());
        }
    }

    @Test
    void leaseThatIsCanceledBeforeItsCallersExecutorRanIsReleased() throws Exception {
        LinkedBlockingQueue<Runnable> never = new LinkedBlockingQueue<>();
        try (LockClient blocked = client().callbackExecutor(never::add).build()) {
            for (LeaseLock lock : List.of(
                    blocked.getLock(name + "single"),
                    MultiLock.of(List.of(blocked.getLock(name + "single"), blocked.getLock(name + "b"))))) {
                CompletableFuture<Optional<Lease>> asked =
                        lock.tryAcquireAsync(AcquireOptions.defaults()).toCompletableFuture();
                Runnable completion = never.poll(SOON.toSeconds(), TimeUnit.SECONDS);
                assertThat(completion).isNotNull();
                assertThat(asked.cancel(false)).isTrue();
                Await.until("released", SOON, () -> server.cli().exists(name + "single") == 0);
                completion.run();
                assertThat(asked).isCancelled();
                assertThat(blocked.heldLocks()).isEmpty();
            }
        }
    }

    @Test
    void callersExecutorRunsTheirCode() {
        CountDownLatch chained = new CountDownLatch(1);
        RedisLockClientBuilder builder = client().callbackExecutor(task -> new Thread(
                        () -> {
                            Pause.until(chained);
                            task.run();
                        },
                        "callers-own")
                .start());
        try (LockClient own = builder.build()) {
            CompletableFuture<String> thread = own.getLock(name)
                    .acquireAsync(AcquireOptions.defaults())
                    .thenApply(lease -> Thread.currentThread().getName())
                    .toCompletableFuture();
            chained.countDown();
            assertThat(thread).succeedsWithin(SOON).isEqualTo("callers-own");
        }
        assertThatThrownBy(() -> client().callbackExecutor(null)).hasMessageContaining("executor");
    }

    /** All its workers block, as beside a parallel stream that sleeps. */
    private void blockCommonPool() throws InterruptedException {
        int workers = Math.max(1, ForkJoinPool.getCommonPoolParallelism());
        CountDownLatch blocked = new CountDownLatch(workers);
        for (int i = 0; i < workers; i++) {
            ForkJoinPool.commonPool().execute(() -> {
                blocked.countDown();
                Pause.until(end);
            });
        }
        assertThat(blocked.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
}

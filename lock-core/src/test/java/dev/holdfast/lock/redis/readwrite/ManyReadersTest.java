package dev.holdfast.lock.redis.readwrite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.ReadWriteClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers of one client share a waiting room, and never each other's fate. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyReadersTest {

    /** As many as the build has time for; more with {@code -Dholdfast.soak=true}. */
    private static final int ROUNDS = Boolean.getBoolean("holdfast.soak") ? 20_000 : 500;

    private final ReadWriteClients two = new ReadWriteClients();

    @AfterEach
    void close() {
        two.close();
    }

    @Test
    void readerThatWillNotWaitIsNotRefusedBecauseAnotherCameIn() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        CountDownLatch start = new CountDownLatch(1);
        for (int i = 0; i < 8; i++) {
            readers.add(CompletableFuture.runAsync(
                    () -> {
                        LeaseLock lock = two.readHere();
                        await(start);
                        for (int round = 0; round < 100; round++) {
                            if (lock.tryLock()) {
                                lock.unlock();
                            } else {
                                refused.incrementAndGet();
                            }
                        }
                    },
                    CriticalSection::onThread));
        }
        start.countDown();
        CompletableFuture.allOf(readers.toArray(CompletableFuture<?>[]::new)).get(60, TimeUnit.SECONDS);
        assertThat(refused).hasValue(0);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Two in the writer's client and one in another. A wake-up that gets lost costs the rest of the writer's minute, or the poll's two: far more than the test has. */
    @Test
    void allWaitingReadersWakeWhenAWriterLeaves() throws Exception {
        try (LockClient here = slow();
                LockClient there = slow()) {
            List<LockClient> clients = List.of(here, here, there);
            Phaser rounds = new Phaser(1 + clients.size());
            List<CompletableFuture<Void>> readers = new ArrayList<>();
            for (LockClient client : clients) {
                LeaseLock read = client.getLock(two.name, LockKind.READ);
                readers.add(CompletableFuture.runAsync(() -> readEachRound(read, rounds), CriticalSection::onThread));
            }
            LeaseLock write = here.getLock(two.name, LockKind.WRITE);
            for (int round = 0; round < ROUNDS; round++) {
                write.lock();
                rounds.arriveAndAwaitAdvance();
                // From not at all to about a question's time: each step of going to wait meets the release.
                for (int spin = 0; spin < round % 40 * 50; spin++) {
                    Thread.onSpinWait();
                }
                write.unlock();
                rounds.awaitAdvanceInterruptibly(rounds.arrive(), 20, TimeUnit.SECONDS);
            }
            CompletableFuture.allOf(readers.toArray(CompletableFuture<?>[]::new))
                    .get(20, TimeUnit.SECONDS);
        }
    }

    private LockClient slow() {
        return two.client().watchdogTimeout(Duration.ofMinutes(1)).build();
    }

    private static void readEachRound(LeaseLock read, Phaser rounds) {
        for (int round = 0; round < ROUNDS; round++) {
            rounds.arriveAndAwaitAdvance();
            read.lock();
            read.unlock();
            rounds.arriveAndAwaitAdvance();
        }
    }
}

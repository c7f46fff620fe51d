package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing keeps a thread that ended without unlock, nor a client that was closed. */
@Timeout(Await.TEST_SECONDS)
class EndedThreadsTest {

    private static final int THREADS = 50;
    /** What a thread of the client did last stays reachable from it until it does something else. These are its event loops and its timer. */
    private static final int OF_CLIENT = 5;

    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration PATIENCE = Await.PATIENCE;

    private final String name = "ended-threads-" + UUID.randomUUID() + "-";

    private static LockClient client() {
        return Waits.client(RedisServer.shared()).build();
    }

    private static final List<ContractKind> KINDS = List.of(ContractKind.REENTRANT, ContractKind.COMPOSITE);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void threadsThatEndAfterTheirLeaseOrBeforeItAreCollected(boolean after) throws InterruptedException {
        for (ContractKind kind : KINDS) {
            try (LockClient client = client()) {
                awaitCollected("threads", expireInThreads(client, kind, after), OF_CLIENT);
            }
        }
    }

    private List<WeakReference<Thread>> expireInThreads(LockClient client, ContractKind kind, boolean after)
            throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            LeaseLock lock = kind.lock(client, name + i);
            Thread thread = new Thread(() -> {
                lock.lock(SHORT);
                if (after) {
                    Await.until("expired", PATIENCE, () -> !lock.isHeldByCurrentThread());
                }
            });
            thread.start();
            threads.add(thread);
        }
        List<WeakReference<Thread>> references = new ArrayList<>();
        for (Thread thread : threads) {
            thread.join();
            references.add(new WeakReference<>(thread));
        }
        return references;
    }

    @Test
    void closedClientIsCollectedWhileAThreadOfItsHoldsLives() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        List<WeakReference<LockClient>> clients = new ArrayList<>();
        for (ContractKind kind : KINDS) {
            clients.add(closeWhileHeld(kind, end));
        }
        awaitCollected("clients", clients, 0);
        end.countDown();
    }

    @Test
    void clientThatCannotBeOpenedLeavesNoThread() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        RedisSource absent = RedisSource.of(() -> {
            throw new IllegalStateException("The application's client does not exist yet");
        });
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> Waits.client(absent).build()).hasMessageContaining("does not exist yet");
        }
        Await.until(
                "its threads have ended",
                PATIENCE,
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(
                                thread -> thread.getName().startsWith("holdfast-timer") && !before.contains(thread)));
    }

    private WeakReference<LockClient> closeWhileHeld(ContractKind kind, CountDownLatch end)
            throws InterruptedException {
        LockClient client = client();
        CountDownLatch held = new CountDownLatch(1);
        holder(kind.lock(client, name + "closed"), held, end).start();
        held.await();
        client.close();
        return new WeakReference<>(client);
    }

    private static Thread holder(LeaseLock lock, CountDownLatch held, CountDownLatch end) {
        // What the thread runs must not refer to the lock once it is held.
        LeaseLock[] once = {lock};
        Thread thread = new Thread(() -> {
            once[0].lock();
            once[0] = null;
            held.countDown();
            Pause.until(end);
        });
        thread.setDaemon(true);
        return thread;
    }

    private static void awaitCollected(String what, List<? extends WeakReference<?>> references, int mostLeft) {
        Await.until(what + " are collected, apart from " + mostLeft, PATIENCE, () -> {
            System.gc();
            return references.stream()
                            .filter(reference -> reference.get() != null)
                            .count()
                    <= mostLeft;
        });
    }
}

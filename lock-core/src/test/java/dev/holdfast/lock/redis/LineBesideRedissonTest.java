package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Clients of Redisson and a line of ours want one plain lock all the time. The bound, which {@link LineScriptTest} shows: of two releases of our
 * line that follow each other, at least one leaves the lock to the first that asks.
 */
@Timeout(120)
class LineBesideRedissonTest {

    private static final int SHARES = 20;
    private static final Duration LIMIT = Duration.ofSeconds(50);

    private final RedisServer server = RedisServer.start();
    private final List<LockClient> clients = new ArrayList<>();
    private final List<Peer> peers = new ArrayList<>();
    private final AtomicBoolean end = new AtomicBoolean();
    private final AtomicInteger ours = new AtomicInteger();
    private final AtomicInteger theirs = new AtomicInteger();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger together = new AtomicInteger();

    @AfterEach
    void close() {
        clients.forEach(LockClient::close);
        peers.forEach(Peer::close);
        server.close();
    }

    @Test
    void oneRedissonClientIsNotStarvedByALineOfOurs() throws Exception {
        compete(5, 1);
    }

    @Test
    void oneOfOursIsNotStarvedByRedissonClients() throws Exception {
        compete(1, 3);
    }

    private void compete(int ofOurs, int ofTheirs) throws Exception {
        List<CompletableFuture<?>> threads = new ArrayList<>();
        for (int i = 0; i < ofOurs; i++) {
            LockClient client = Waits.client(server).build();
            clients.add(client);
            LeaseLock lock = client.getLock("beside");
            threads.add(CompletableFuture.runAsync(() -> take(lock, ours), CriticalSection::onThread));
        }
        for (int i = 0; i < ofTheirs; i++) {
            Peer peer = Peer.of(server);
            peers.add(peer);
            Lock lock = peer.redisson().getLock("beside");
            threads.add(peer.begins(() -> {
                take(lock, theirs);
                return null;
            }));
        }
        Await.until("both take part", LIMIT, () -> ours.get() > 0 && theirs.get() > 0);
        int oursBefore = ours.get();
        int theirsBefore = theirs.get();
        Await.until(
                "each side had its shares",
                LIMIT,
                () -> ours.get() - oursBefore >= SHARES && theirs.get() - theirsBefore >= SHARES);
        end.set(true);
        for (CompletableFuture<?> thread : threads) {
            thread.get(30, TimeUnit.SECONDS);
        }
        assertThat(together).as("holders at once").hasValue(0);
    }

    private void take(Lock lock, AtomicInteger turns) {
        while (!end.get()) {
            lock.lock();
            if (inside.incrementAndGet() != 1) {
                together.incrementAndGet();
            }
            Pause.of(Duration.ofMillis(1));
            inside.decrementAndGet();
            turns.incrementAndGet();
            lock.unlock();
        }
    }
}

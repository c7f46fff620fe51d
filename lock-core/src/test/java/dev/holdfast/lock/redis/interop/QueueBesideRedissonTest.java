package dev.holdfast.lock.redis.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RedissonClientFixture;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Clients of Redisson and a queue of ours want one lock all the time. The bound, which {@code QueueScriptTest} shows: of four releases of ours
 * that Redisson's clients hear, one leaves the lock to them.
 */
@Timeout(Await.TEST_SECONDS)
class QueueBesideRedissonTest {

    private static final Duration LIMIT = Await.PATIENCE;

    private final RedisServer server = RedisServer.start();
    private final List<LockClient> clients = new ArrayList<>();
    private final List<RedissonClientFixture> redissons = new ArrayList<>();
    private final AtomicBoolean end = new AtomicBoolean();
    private final AtomicInteger ours = new AtomicInteger();
    private final AtomicInteger theirs = new AtomicInteger();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger together = new AtomicInteger();

    @AfterEach
    void close() {
        end.set(true);
        clients.forEach(LockClient::close);
        redissons.forEach(RedissonClientFixture::close);
        server.close();
    }

    /**
     * The turns that each library has at least, and at night the percentage of theirs if both have as many clients. The least percentage is three times
     * less than any measured.
     */
    @ParameterizedTest(name = "{0}: {1} of ours and {2} of theirs, {3} threads each")
    @CsvSource({
        "REENTRANT, 1, 1, 3, 20, 0, 100",
        // By message: with a poll for each turn, this takes longer than the limit.
        "FAIR,      2, 2, 3, 300, 0, 100"
    })
    void eachLibraryHasItsTurns(
            LockKind kind, int ofOurs, int ofTheirs, int threads, int turns, int leastPercent, int mostPercent)
            throws Exception {
        compete(kind, ofOurs, ofTheirs, threads, turns);
        assertThat(percentOfTheirs()).isBetween(leastPercent, mostPercent);
    }

    @ParameterizedTest(name = "{0}: {1} of ours and {2} of theirs, {3} threads each")
    @CsvSource({
        "REENTRANT, 1, 1, 3, 20, 11, 100",
        "FAIR,      2, 2, 3, 300, 10, 90",
        "REENTRANT, 5, 1, 1, 20, 0, 100",
        "REENTRANT, 1, 3, 1, 20, 0, 100",
        "REENTRANT, 2, 2, 3, 20, 11, 100",
        "WRITE,     2, 2, 3, 20, 11, 100"
    })
    @Nightly(inEachBuild = "a client of each library without shares, and QueueScriptTest, which has the bound")
    void eachLibraryHasItsTurnsAmongMoreClients(
            LockKind kind, int ofOurs, int ofTheirs, int threads, int turns, int leastPercent, int mostPercent)
            throws Exception {
        eachLibraryHasItsTurns(kind, ofOurs, ofTheirs, threads, turns, leastPercent, mostPercent);
    }

    private int percentOfTheirs() {
        return 100 * theirs.get() / (ours.get() + theirs.get());
    }

    private void compete(LockKind kind, int ofOurs, int ofTheirs, int threads, int least) throws Exception {
        List<CompletableFuture<?>> turns = new ArrayList<>();
        for (int i = 0; i < ofOurs; i++) {
            LockClient client = Waits.client(server).build();
            clients.add(client);
            begin(turns, threads, client.getLock("beside", kind), ours);
        }
        for (int i = 0; i < ofTheirs; i++) {
            RedissonClientFixture redisson = RedissonClientFixture.of(server);
            redissons.add(redisson);
            begin(turns, threads, redisson.lock("beside", kind), theirs);
        }
        Await.until("each library has its turns", LIMIT, () -> ours.get() >= least && theirs.get() >= least);
        end.set(true);
        for (CompletableFuture<?> thread : turns) {
            thread.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(together).as("holders at once").hasValue(0);
    }

    private void begin(List<CompletableFuture<?>> begun, int threads, Lock lock, AtomicInteger turns) {
        for (int i = 0; i < threads; i++) {
            begun.add(CompletableFuture.runAsync(() -> take(lock, turns), CriticalSection::onThread));
        }
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

package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that wait briefly come and go faster than the poll interval. The lock is found free all the same. */
@Timeout(120)
class BusyTrafficTest {

    private static final int THREADS = 8;
    private static final Duration WAIT = Duration.ofMillis(200);

    private final RedisServer server = RedisServer.start();
    private final LockClient client = Waits.client(server).build();
    private final AtomicBoolean over = new AtomicBoolean();
    private final CountDownLatch acquired = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();

    @AfterEach
    void close() throws InterruptedException {
        over.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        client.close();
        server.close();
    }

    private void startTraffic(String name) {
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> tryAgainAndAgain(name), "traffic-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    private void tryAgainAndAgain(String name) {
        while (!over.get()) {
            try {
                if (client.getLock(name).tryLock(WAIT)) {
                    acquired.countDown();
                    client.getLock(name).unlock();
                }
            } catch (LockUnavailableException down) {
                // The next try tells.
                continue;
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    @Test
    void lockOfADeadHolderIsAcquiredWhenItsLeaseEnds() throws InterruptedException {
        String name = "dead-holder";
        server.cli().hset(name, "00000000-0000-0000-0000-000000000000:1", "1");
        server.cli().pexpire(name, 2_000);
        long start = System.nanoTime();

        startTraffic(name);

        assertThat(acquired.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(Waits.SOON_MILLIS));
    }

    @Test
    void patientWaiterIsServedBesideThem() throws InterruptedException {
        String name = "dead-holder";
        server.cli().hset(name, "00000000-0000-0000-0000-000000000000:1", "1");
        server.cli().pexpire(name, 2_000);
        startTraffic(name);
        long start = System.nanoTime();

        assertThat(client.getLock(name).tryLock(Duration.ofSeconds(30))).isTrue();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(Waits.SOON_MILLIS));
        client.getLock(name).unlock();
    }

    @Test
    void redisThatIsBackIsFound() throws InterruptedException {
        String name = "outage";
        client.getLock(name).lock();
        client.getLock(name).unlock();
        server.kill();
        startTraffic(name);
        Pause.of(Duration.ofMillis(2_500));
        long back = System.nanoTime();
        server.restart();

        assertThat(acquired.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - back)).isLessThan(Duration.ofMillis(Waits.SOON_MILLIS));
    }
}

package dev.holdfast.lock.redis.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.RedissonClientFixture;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Several names beside a service that uses Redisson: its locks, and its multi-lock over them. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedissonMultiLockTest {

    private static final RedisServer SERVER = RedisServer.shared();
    private static LockClient ours;
    private static RedissonClient theirs;

    private final String a = Waits.name("a");
    private final String b = Waits.name("b");
    private final RLock theirMulti = theirs.getMultiLock(theirs.getLock(a), theirs.getLock(b));

    @BeforeAll
    static void open() {
        // Whoever wakes was woken by a message.
        ours = Waits.client(SERVER).pollInterval(Duration.ofSeconds(40)).build();
        theirs = Redisson.create(RedissonClientFixture.config(SERVER));
    }

    @AfterAll
    static void close() {
        theirs.shutdown();
        ours.close();
    }

    @Test
    void theirHolderOfOneKeepsUsFromAllAndWakesUs() throws Exception {
        RLock theirLock = theirs.getLock(b);
        theirLock.lock();
        assertThat(ours.getMultiLock(List.of(a, b)).tryLock()).isFalse();
        assertThat(SERVER.cli().exists(a)).isZero();
        CompletableFuture<Lease> wanted = ours.getMultiLock(List.of(a, b))
                .acquireAsync(Waits.waiting(Waits.LONG))
                .toCompletableFuture();
        Waits.awaitListeners(SERVER, b, 1);
        // The holder is theirs: its release is heard only there.
        Waits.awaitChannel(SERVER, "redisson_lock__channel:{" + b + "}", 1);

        theirLock.unlock();

        Waits.get(wanted).close();
    }

    @Test
    void theirMultiLockAndOursExcludeEachOther() throws Exception {
        theirMulti.lock();
        assertThat(ours.getMultiLock(List.of(a, b)).tryLock()).isFalse();
        assertThat(ours.getLock(b).tryLock()).isFalse();
        theirMulti.unlock();

        ours.getMultiLock(List.of(a, b)).lock();
        assertThat(theirMulti.tryLock()).isFalse();
        assertThat(theirs.getLock(a).tryLock()).isFalse();
        ours.getMultiLock(List.of(a, b)).unlock();

        assertThat(theirMulti.tryLock()).isTrue();
        theirMulti.unlock();
    }

    @Test
    void theirWaiterForOneWakesOnOurRelease() throws Exception {
        Lease lease = ours.getMultiLock(List.of(a, b))
                .acquire(AcquireOptions.defaults().lease(Duration.ofMinutes(10)));
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return theirs.getLock(b).tryLock(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                CriticalSection::onThread);
        Waits.awaitChannel(SERVER, "redisson_lock__channel:{" + b + "}", 1);
        long since = System.nanoTime();

        lease.close();

        assertThat(waiting.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        // Without the message, they would wait until our lease is over.
        Waits.assertSoon(since, Duration.ZERO);
        theirs.getLock(b).forceUnlock();
    }
}

package dev.holdfast.lock.redis.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
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
import org.redisson.api.RLock;

/** Several names beside a service that uses Redisson: its locks, and its multi-lock over them. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedissonMultiLockTest {

    private static final RedisServer SERVER = RedisServer.shared();
    private static LockClient ours;
    private static RedissonClientFixture theirs;

    private final String a = Waits.name("a");
    private final String b = Waits.name("b");
    private final RLock theirOther = theirs.redisson().getLock(a);
    private final RLock theirLock = theirs.redisson().getLock(b);
    private final RLock theirMulti = theirs.redisson().getMultiLock(theirOther, theirLock);

    @BeforeAll
    static void open() {
        ours = Waits.client(SERVER).build();
        theirs = RedissonClientFixture.of(SERVER);
    }

    @AfterAll
    static void close() {
        theirs.close();
        ours.close();
    }

    @Test
    void theirHolderOfOneKeepsUsFromAllAndWakesUs() throws Exception {
        theirs.run(theirLock::lock);
        assertThat(ours.getMultiLock(List.of(a, b)).tryLock()).isFalse();
        assertThat(SERVER.cli().exists(a)).isZero();
        CompletableFuture<Lease> wanted = ours.getMultiLock(List.of(a, b))
                .acquireAsync(Waits.waiting(Waits.LONG))
                .toCompletableFuture();
        Waits.awaitListeners(SERVER, b, 1);
        // The holder is theirs: its release is heard only there.
        Waits.awaitChannel(SERVER, "redisson_lock__channel:{" + b + "}", 1);

        theirs.run(theirLock::unlock);

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
        assertThat(theirOther.tryLock()).isFalse();
        ours.getMultiLock(List.of(a, b)).unlock();

        assertThat(theirMulti.tryLock()).isTrue();
        theirMulti.unlock();
    }

    @Test
    void theirWaiterForOneWakesOnOurRelease() throws Exception {
        Lease lease = ours.getMultiLock(List.of(a, b))
                .acquire(AcquireOptions.defaults().lease(Duration.ofMinutes(10)));
        CompletableFuture<Boolean> waiting = theirs.start(() -> theirLock.tryLock(1, TimeUnit.MINUTES));
        Waits.awaitChannel(SERVER, "redisson_lock__channel:{" + b + "}", 1);
        long since = System.nanoTime();

        lease.close();

        assertThat(Waits.get(waiting)).isTrue();
        // Without the message, they would wait until our lease is over.
        Waits.assertSoon(since, Duration.ZERO);
        theirs.run(theirLock::unlock);
    }
}

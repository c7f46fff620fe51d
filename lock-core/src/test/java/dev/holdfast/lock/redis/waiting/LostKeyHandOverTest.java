package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.requests;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LeaseReadWriteLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Redis loses a held key: the next thread of the client gets no token below another client's, and the holder is told. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(Await.TEST_SECONDS)
class LostKeyHandOverTest {

    private final RedisServer server = RedisServer.start();
    private final AtomicLong skipped = new AtomicLong();
    private final RecordingListener listener = new RecordingListener();
    private final LockClient client = Waits.client(server)
            .pollInterval(Duration.ofMinutes(5))
            .clock(() -> System.nanoTime() + skipped.get())
            .listener(listener)
            .build();
    private final LockClient other = Waits.client(server).build();
    private final String name = "lost-" + UUID.randomUUID();

    @AfterEach
    void close() {
        client.close();
        other.close();
        server.close();
    }

    static Stream<Arguments> losses() {
        return Stream.<Map.Entry<String, BiConsumer<RedisServer, String>>>of(
                        Map.entry("deleted", (server, key) -> server.cli().del(key)),
                        Map.entry("flushed", (server, key) -> server.flushAll()),
                        Map.entry("forced free", LostKeyHandOverTest::force))
                .map(loss -> Arguments.of(loss.getKey(), loss.getValue()));
    }

    private static void force(RedisServer server, String key) {
        try (LockClient operator = Waits.client(server).build()) {
            assertThat(operator.forceRelease(key)).isTrue();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("losses")
    void waiterThatAsksAfterTheLossGetsAGreaterToken(String how, BiConsumer<RedisServer, String> lose) {
        Lease first = held(client, name);
        lose.accept(server, name);
        Lease others = held(other, name);
        CompletableFuture<Lease> second = wanted(client, name);
        Waits.awaitListeners(server, name, 1);

        assertThatThrownBy(first::close).isInstanceOf(LeaseLostException.class);

        assertWaitsFor(others, second);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("losses")
    void waiterThatAskedBeforeTheLossGetsAGreaterToken(String how, BiConsumer<RedisServer, String> lose) {
        Lease first = held(client, name);
        // A busy machine can make the first holder's client ask twice.
        long before = requests(server);
        CompletableFuture<Lease> second = wanted(client, name);
        Waits.awaitListeners(server, name, 1);
        Await.until("asked before and after it listens", TwoClients.PATIENCE, () -> requests(server) >= before + 2);
        Lease others = null;
        lose.accept(server, name);
        if (how.equals("flushed")) {
            // The line is lost, too.
            others = held(other, name);
        } else {
            // A forced release, or the next request, grants the lock to the first in the queue.
            assertThat(other.getLock(name).tryAcquire()).isEmpty();
        }
        skipped.addAndGet(TimeUnit.MILLISECONDS.toNanos(20));

        assertThatThrownBy(first::close).isInstanceOf(LeaseLostException.class);

        if (others == null) {
            assertThat(get(second).fencingToken()).isGreaterThan(first.fencingToken());
        } else {
            assertWaitsFor(others, second);
        }
    }

    /** While two masters serve, the old one goes on confirming what the new one has forgotten. */
    @Test
    void waiterGetsAGreaterTokenThanTheHolderThatAnotherMasterServed() {
        AtomicLong now = new AtomicLong(System.nanoTime());
        try (RedisServer newMaster = RedisServer.start();
                LockClient served = Waits.client(newMaster).build();
                LockClient old = Waits.client(server).clock(now::get).build()) {
            Lease first = held(old, name);
            Lease others = held(served, name);
            now.addAndGet(TimeUnit.MILLISECONDS.toNanos(30));
            first.extend(Duration.ofSeconds(30));
            CompletableFuture<Lease> second = wanted(old, name);
            TwoClients.awaitWaiters(old, name, 1);

            first.close();

            assertThat(get(second).fencingToken()).isGreaterThan(others.fencingToken());
            get(second).close();
            others.close();
        }
    }

    private void assertWaitsFor(Lease others, CompletableFuture<Lease> second) {
        listener.awaitLosses(1);
        assertThat(listener.losses).extracting(LeaseLoss::cause).containsExactly(LossCause.GONE);
        assertThat(second)
                .as("the next thread's lease while another client has the lock")
                .isNotDone();
        others.close();
        Lease lease = get(second);
        assertThat(lease.fencingToken()).isGreaterThan(others.fencingToken());
        lease.close();
        assertThat(listener.losses).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"REENTRANT", "FAIR", "WRITE"})
    void holderIsToldAtOnceWhereItsOwnClientGetsTheLockAnew(LockKind kind) {
        Lease first = client.getLock(name, kind).acquire();
        server.flushAll();

        Lease second = client.getLock(name, kind).acquire();

        assertThat(first.isHeld()).isFalse();
        assertThat(second.isHeld()).isTrue();
        listener.awaitLosses(1);
        assertThat(listener.losses).extracting(LeaseLoss::fencingToken).containsExactly(first.fencingToken());
        assertThatThrownBy(first::close).isInstanceOf(LeaseLostException.class);
        assertThat(second.verify()).isTrue();
        second.close();
    }

    @Test
    void readersAreToldAtOnceWhereTheirOwnClientWrites() {
        LeaseReadWriteLock lock = client.getReadWriteLock(name);
        Lease first = lock.readLock().acquire();
        Lease second = lock.readLock().acquire();
        assertThat(first.isHeld() && second.isHeld()).isTrue();
        server.flushAll();

        Lease writer = lock.writeLock().acquire();

        assertThat(first.isHeld() || second.isHeld()).isFalse();
        listener.awaitLosses(2);
        writer.close();
    }
}

package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Redis loses a held lock: its holder is told once, by every way there is, at the next renewal. */
@Timeout(30)
class LossInRedisTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private final RedisServer server = RedisServer.start();
    private final RecordingListener listener = new RecordingListener();
    private final String name = "loss-" + UUID.randomUUID();
    private final LockClient client =
            Waits.client(server).watchdogTimeout(LEASE).listener(listener).build();

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    static Stream<Arguments> losses() {
        return Stream.<Map.Entry<String, BiConsumer<RedisServer, String>>>of(
                        Map.entry("deleted", (server, key) -> server.cli().del(key)),
                        Map.entry("flushed", (server, key) -> server.flushAll()),
                        Map.entry("restarted without its data", (server, key) -> server.restart()),
                        Map.entry("forced by another client", LossInRedisTest::force),
                        Map.entry("given to another holder", (server, key) -> {
                            server.cli().del(key);
                            server.cli().hset(key, "another:1:1", "1");
                        }),
                        Map.entry("overwritten", (server, key) -> server.cli().set(key, "something else")))
                .map(loss -> Arguments.of(loss.getKey(), loss.getValue()));
    }

    @ParameterizedTest
    @EnumSource(
            value = LockKind.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SEMAPHORE", "FAIR_SEMAPHORE"})
    void releaseOfAnOverwrittenKeyIsALoss(LockKind kind) {
        // Not renewed: a renewal would notice it as well.
        Lease lease =
                client.getLock(name, kind).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(20)));
        server.cli().set(name, "something else");

        assertThatThrownBy(lease::close)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().cause()).isEqualTo(LossCause.GONE));

        listener.awaitLosses(1);
        assertThat(server.cli().get(name)).isEqualTo("something else");
    }

    private static void force(RedisServer server, String key) {
        try (LockClient operator = Waits.client(server).build()) {
            assertThat(operator.forceRelease(key)).isTrue();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("losses")
    void isToldOnceByEveryWayAtTheNextRenewal(String how, BiConsumer<RedisServer, String> lose) throws Exception {
        List<LeaseLoss> told = new CopyOnWriteArrayList<>();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CompletableFuture<Lease> acquired = new CompletableFuture<>();
        Thread holder = new Thread(() -> {
            acquired.complete(
                    client.getLock(name).acquire(AcquireOptions.defaults().interruptOnLoss()));
            try {
                interrupted.complete(new CountDownLatch(1).await(20, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                interrupted.complete(true);
            }
        });
        holder.start();
        Lease lease = acquired.get();
        lease.onLost(told::add);

        lose.accept(server, name);
        listener.awaitLosses(1);

        assertThat(lease.isHeld()).isFalse();
        assertThat(interrupted.get()).isTrue();
        Map<String, String> next =
                "hash".equals(server.cli().type(name)) ? server.cli().hgetall(name) : Map.of();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        assertThat(lease.verify()).isFalse();
        Pause.of(LEASE.dividedBy(2));
        if (!next.isEmpty()) {
            assertThat(server.cli().hgetall(name)).as("the next owner's key").isEqualTo(next);
        }
        assertThat(told).hasSize(1);
        assertThat(listener.losses).singleElement().isEqualTo(told.get(0));
        assertThat(told.get(0).cause()).isEqualTo(LossCause.GONE);
        assertThat(told.get(0).fencingToken()).isEqualTo(lease.fencingToken());
        holder.join();
    }

    @Test
    void isToldByUnlockWhereNoRenewalCameInBetween() {
        client.getLock(name).lock();
        server.cli().del(name);

        assertThatThrownBy(() -> client.getLock(name).unlock()).isInstanceOf(LeaseLostException.class);

        listener.awaitLosses(1);
        assertThat(client.getLock(name).holdCount()).isZero();
        assertThat(listener.losses).extracting(LeaseLoss::cause).containsExactly(LossCause.GONE);
    }

    @Test
    void isToldToEveryHoldOfAReentrantThread() {
        client.getLock(name).lock();
        client.getLock(name).lock();
        server.cli().del(name);
        listener.awaitLosses(1);

        client.getLock(name).lock();
        client.getLock(name).unlock();
        assertThatThrownBy(() -> client.getLock(name).unlock()).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> client.getLock(name).unlock()).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> client.getLock(name).unlock())
                .isInstanceOf(IllegalMonitorStateException.class)
                .isNotInstanceOf(LeaseLostException.class);
        assertThat(client.getLock(name).tryLock()).as("a new hold").isTrue();
        client.getLock(name).unlock();
    }

    @Test
    void isFoundByVerifyAndExtendAtOnce() {
        Lease verified = client.getLock(name).acquire();
        server.cli().del(name);
        assertThat(verified.verify()).isFalse();

        Lease extended = client.getLock(name).acquire();
        server.cli().del(name);
        assertThatThrownBy(() -> extended.extend(LEASE.multipliedBy(2))).isInstanceOf(LeaseLostException.class);

        listener.awaitLosses(2);
        assertThat(listener.losses).extracting(LeaseLoss::cause).containsOnly(LossCause.GONE);
    }

    @Test
    void releaseThatFindsNothingInterruptsNobody() throws InterruptedException {
        Lease lease = client.getLock(name).acquire(AcquireOptions.defaults().interruptOnLoss());
        server.cli().del(name);

        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);

        listener.awaitLosses(1);
        assertThat(Thread.interrupted()).as("the holder knows already").isFalse();
    }
}

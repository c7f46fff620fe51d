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
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Redis loses a held lock: its holder is told once, by every way there is, at the next renewal. */
@Timeout(Await.TEST_SECONDS)
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

    @Test
    void releaseOfAnOverwrittenKeyIsALoss() {
        for (LockKind kind : List.of(LockKind.REENTRANT, LockKind.FAIR, LockKind.READ, LockKind.WRITE)) {
            String own = name + kind;
            // Not renewed: a renewal would notice it as well.
            Lease lease =
                    client.getLock(own, kind).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(20)));
            server.cli().set(own, "something else");
            assertThatThrownBy(lease::close)
                    .isInstanceOfSatisfying(
                            LeaseLostException.class,
                            lost -> assertThat(lost.loss().cause()).isEqualTo(LossCause.GONE));
            assertThat(server.cli().get(own)).isEqualTo("something else");
        }
        listener.awaitLosses(4);
    }

    /** A hold of a thread that is to be interrupted when it is lost: of one name or of several, of which Redis loses the last. */
    private final class Hold {

        private final List<String> names;
        private final String key;
        private final List<LeaseLoss> told = new CopyOnWriteArrayList<>();
        private final ScriptedThread holder = new ScriptedThread();
        private final Lease lease;
        private final CompletableFuture<Boolean> interrupted;

        Hold(String... names) throws Exception {
            this.names = List.of(names);
            key = names[names.length - 1];
            lease = holder.call(() -> client.getMultiLock(this.names)
                    .acquire(AcquireOptions.defaults().interruptOnLoss()));
            lease.onLost(told::add);
            interrupted = holder.start(() -> {
                try {
                    return new CountDownLatch(1).await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    return true;
                }
            });
        }

        private Map<String, String> nextOwner() {
            return server.cli().type(key).equals("hash") ? server.cli().hgetall(key) : Map.of();
        }

        /** The next owner's key must stay, and the other names are free. */
        void assertIsLost() throws Exception {
            for (String other : names.subList(0, names.size() - 1)) {
                Await.until(
                        other + " is free",
                        LEASE.dividedBy(2),
                        () -> server.cli().exists(other) == 0);
            }
            assertThat(lease.isHeld()).isFalse();
            assertThat(ScriptedThread.outcome(interrupted)).isTrue();
            Map<String, String> next = nextOwner();
            assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
            assertThat(lease.verify()).isFalse();
            assertThat(nextOwner()).isEqualTo(next);
            assertThat(told).singleElement().satisfies(loss -> {
                assertThat(loss.cause()).isEqualTo(LossCause.GONE);
                assertThat(loss.fencingToken()).isEqualTo(lease.fencingToken());
                assertThat(listener.losses).containsOnlyOnce(loss);
            });
            holder.close();
        }
    }

    @Test
    void lossOfAKeyIsToldOnceByEveryWayAtTheNextRenewalAndCostsNoOtherLock() throws Exception {
        List<Hold> holds = new ArrayList<>();
        for (String how : List.of("deleted", "forced", "given", "overwritten")) {
            holds.add(new Hold(name + how));
            holds.add(new Hold(name + "first" + how, name + "second" + how));
        }
        List<Lease> others = Stream.generate(() -> Waits.held(client, Waits.name("neighbour")))
                .limit(50)
                .toList();

        holds.forEach(hold -> lose(hold.key));

        listener.awaitLosses(holds.size());
        for (Hold hold : holds) {
            hold.assertIsLost();
        }
        Pause.of(LEASE.dividedBy(2));
        assertThat(server.cli().hgetall(name + "given")).containsOnlyKeys("another:1:1");
        assertThat(listener.losses).hasSize(holds.size());
        assertThat(others).allMatch(Lease::isHeld).allMatch(Lease::verify);
    }

    private void lose(String key) {
        if (key.endsWith("forced")) {
            try (LockClient operator = Waits.client(server).build()) {
                assertThat(operator.forceRelease(key)).isTrue();
            }
            return;
        }
        server.cli().del(key);
        if (key.endsWith("given")) {
            server.cli().hset(key, "another:1:1", "1");
        } else if (key.endsWith("overwritten")) {
            server.cli().set(key, "something else");
        }
    }

    @Test
    void releaseThatFindsNothingInterruptsNobody() throws InterruptedException {
        Lease lease = client.getLock(name).acquire(AcquireOptions.defaults().interruptOnLoss());
        server.cli().del(name);

        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);

        listener.awaitLosses(1);
        assertThat(Thread.interrupted()).as("the holder knows already").isFalse();
    }

    @Test
    void extensionNeverClaimsMoreThanRedisWasTold() {
        try (Lease lease =
                client.getLock(name).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(30)))) {
            server.cli().pexpire(name, 5000);
            lease.extend(Duration.ofSeconds(6));
            assertThat(lease.remaining())
                    .isLessThan(Duration.ofMillis(server.cli().pttl(name)));
        }
    }
}

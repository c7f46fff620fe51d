package dev.holdfast.lock.redis.fault;

import static dev.holdfast.lock.redis.fixture.GraceClients.GRACE;
import static dev.holdfast.lock.redis.fixture.GraceClients.LEASE;
import static dev.holdfast.lock.redis.fixture.GraceClients.PATIENT;
import static dev.holdfast.lock.redis.fixture.GraceClients.awaitOpen;
import static dev.holdfast.lock.redis.fixture.GraceClients.end;
import static dev.holdfast.lock.redis.fixture.GraceClients.endAfterSpeech;
import static dev.holdfast.lock.redis.fixture.GraceClients.isRefusedForNow;
import static dev.holdfast.lock.redis.fixture.GraceClients.open;
import static dev.holdfast.lock.redis.fixture.GraceClients.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.GraceClients;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.MovingName;
import dev.holdfast.lock.testing.RedisReplication;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client with a failover grace, and a Redis that forgets its locks. */
@Timeout(Await.TEST_SECONDS)
class FailoverGraceTest {

    @AutoClose
    private final RedisServer server = RedisServer.start();

    private final RecordingListener listener = new RecordingListener();
    private final String name = Waits.name("grace");

    private LockClient client() {
        return with(Waits.client(server)).listener(listener).build();
    }

    enum Loss {
        RESTART,
        FLUSH
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    void runUnderWayGoesOnAndNobodyElseIsGrantedItsLock(Loss loss) {
        try (LockClient holder = client();
                LockClient other = client()) {
            open(server);
            Lease lease = holder.getLock(name).acquire(PATIENT);

            if (loss == Loss.RESTART) {
                server.restart();
            } else {
                server.flushAll();
            }
            CompletableFuture<Lease> wanted =
                    other.getLock(name).acquireAsync(PATIENT).toCompletableFuture();
            endAfterSpeech(server, name);
            awaitOpen(holder);

            assertThat(lease.verify()).isTrue();
            assertThat(wanted).isNotDone();
            assertThat(listener.losses).isEmpty();
            lease.close();
            Lease next = Waits.get(wanted);
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
            next.close();
        }
    }

    @Test
    void holdOfEveryKindIsAsserted() {
        try (LockClient holder = client();
                LockClient other = client()) {
            open(server);
            List<Lease> leases = new ArrayList<>();
            for (LockKind kind : LockKind.values()) {
                leases.add(lock(holder, kind).acquire(PATIENT));
                if (kind.isSemaphore()) {
                    leases.add(lock(holder, kind).acquire(PATIENT));
                }
            }

            server.flushAll();
            assertThat(isRefusedForNow(other, name)).isTrue();
            endAfterSpeech(
                    server,
                    Arrays.stream(LockKind.values()).map(kind -> name + kind).toArray(String[]::new));
            awaitOpen(other);

            assertThat(leases).allMatch(Lease::verify);
            for (LockKind kind : LockKind.values()) {
                assertThat(excluded(other, kind).tryAcquire()).as(kind.name()).isEmpty();
            }
            leases.forEach(Lease::close);
            for (LockKind kind : LockKind.values()) {
                Lease next = excluded(other, kind).acquire(PATIENT);
                assertThat(leases).allMatch(lease -> lease.fencingToken() < next.fencingToken());
                next.close();
            }
        }
    }

    private LeaseSource lock(LockClient client, LockKind kind) {
        return GraceClients.lock(client, kind, name + kind);
    }

    /** Returns the lock that nobody may have beside this kind. */
    private LeaseSource excluded(LockClient client, LockKind kind) {
        return kind == LockKind.READ ? client.getReadWriteLock(name + kind).writeLock() : lock(client, kind);
    }

    @Test
    void severalNamesAreAssertedTogether() {
        try (LockClient holder = client();
                LockClient other = client()) {
            open(server);
            Lease lease = holder.getMultiLock(List.of(name + "-a", name + "-b")).acquire(PATIENT);

            server.flushAll();
            assertThat(isRefusedForNow(other, name)).isTrue();
            endAfterSpeech(server, name + "-a", name + "-b");
            awaitOpen(other);

            assertThat(lease.verify()).isTrue();
            assertThat(other.getLock(name + "-a").tryAcquire()).isEmpty();
            assertThat(other.getLock(name + "-b").tryAcquire()).isEmpty();
            lease.close();
        }
    }

    @Test
    void leaseOfAGivenLengthIsAssertedForItsRestAndNotProlonged() {
        try (LockClient holder = client();
                LockClient other = client()) {
            open(server);
            Lease lease = holder.getLock(name)
                    .acquire(AcquireOptions.defaults().lease(LEASE).waitAtMost(Duration.ofSeconds(30)));
            long granted = System.nanoTime();

            server.flushAll();
            assertThat(isRefusedForNow(other, name)).isTrue();
            endAfterSpeech(server, name);

            assertThat(server.cli().pttl(name)).isBetween(1L, lease.remaining().toMillis() + LEASE.toMillis() / 10);
            awaitOpen(other);
            assertThat(lease.remaining().toMillis() + Waits.millisSince(granted))
                    .isLessThanOrEqualTo(LEASE.toMillis());
        }
    }

    @Test
    void lockOfAHolderThatCannotSpeakIsNotGrantedWithinItsLease() {
        AtomicLong passed = new AtomicLong();
        try (FaultProxy proxy = FaultProxy.to(server.port());
                LockClient holder = with(Waits.client(proxy))
                        .clock(() -> System.nanoTime() + passed.get())
                        .build();
                LockClient other = client()) {
            open(server);
            Lease lease = holder.getLock(name).acquire(PATIENT);
            proxy.blackHole();

            server.flushAll();
            assertThat(isRefusedForNow(other, name)).isTrue();
            end(server);
            passed.set(GRACE.toNanos());
            Lease next = other.getLock(name).acquire(PATIENT);

            assertThat(lease.isHeld()).isFalse();
            next.close();
        }
    }

    @Test
    void releaseAfterTheLossGrantsNothing() {
        try (LockClient client = client();
                LockClient other = client()) {
            open(server);
            Lease lease = client.getLock(name).acquire(PATIENT);
            CompletableFuture<Lease> waiting =
                    other.getLock(name).acquireAsync(PATIENT).toCompletableFuture();
            FairQueue queue = new FairQueue(server, name);
            queue.awaitLength(1);
            queue.awaitHearing();
            server.cli().del(server.cli().keys("holdfast:open:*").get(0));

            lease.close();

            assertThat(server.cli().exists(name)).isZero();
            assertThat(waiting).isNotDone();
            assertThat(isRefusedForNow(client, name)).isTrue();
            end(server);
            awaitOpen(client);
            client.getLock(name).tryAcquire().ifPresent(Lease::close);
            Waits.get(waiting).close();
        }
    }

    @Test
    void masterThatIsPromotedAgainDoesNotTakeItsFirstReignForOpen() {
        try (RedisReplication redis = RedisReplication.start(1);
                LockClient stays =
                        with(Waits.client(RedisSource.of(redis.master().uri()))).build()) {
            RedisServer x = redis.master();
            RedisServer y = redis.replicas().get(0);
            open(x);
            Waits.get(stays.connected().toCompletableFuture());
            redis.awaitReplicated();
            y.cli().replicaofNoOne();
            // X has no link to Y, and so keeps its data; the connection of the client stays open.
            x.cli().replicaof("127.0.0.1", 1);
            x.cli().replicaofNoOne();

            assertThat(x.cli().keys("holdfast:open:*")).isNotEmpty();
            assertThat(isRefusedForNow(stays, name)).isTrue();
        }
    }

    @Test
    void promotedReplicaGrantsNothingThatItsMasterHadGranted() {
        try (RedisReplication redis = RedisReplication.start(1);
                MovingName address = MovingName.of(redis.master());
                LockClient holder = moving(address);
                LockClient other = moving(address)) {
            RedisServer master = redis.master();
            RedisServer replica = redis.replicas().get(0);
            open(master);
            redis.awaitReplicated();
            replica.cli().replicaof("127.0.0.1", 1);
            Lease lost = holder.getLock(name).acquire(PATIENT);
            replica.cli().replicaofNoOne();
            address.moveTo(replica);
            assertThat(replica.cli().exists(name)).isZero();
            master.kill();

            endAfterSpeech(replica, name);
            awaitOpen(other);

            assertThat(lost.verify()).isTrue();
            assertThat(other.getLock(name).tryAcquire()).isEmpty();
            lost.close();
        }
    }

    private static LockClient moving(MovingName address) {
        return with(RedisLockClient.builder(RedisSource.of(address.uri()).withResources(address.resources()))
                        .checkAtStart(false))
                .build();
    }

    @Test
    void tryAndAWaitAreCountedOnTheirOwn() {
        try (LockClient client = client()) {
            assertThat(isRefusedForNow(client, name)).isTrue();
            assertThatThrownBy(() -> client.getLock(name)
                            .acquire(AcquireOptions.defaults().waitAtMost(Duration.ofMillis(100))))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("is not granted yet");

            assertThat(client.statistics().busy()).isZero();
            assertThat(client.statistics().unavailable()).isZero();
            assertThat(client.statistics().notYetGranted()).isEqualTo(2);
        }
    }

    @Test
    void leaseThatCouldOutliveTheGraceIsRefused() {
        try (LockClient client = client()) {
            assertThatThrownBy(() -> client.getLock(name)
                            .tryAcquire(AcquireOptions.defaults().lease(LEASE.plusMillis(1))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "'lease' must be at most PT4S, two thirds of the failover grace of PT6S, was PT4.001S: a"
                                    + " longer one could outlive the grace. Set a shorter one, or a failover grace of at least"
                                    + " PT6.0015S for all clients of this Redis");
        }
    }

    @Test
    void minimumHoldThatCouldOutliveTheGraceIsRefused() {
        Duration tooLong = LEASE.plusMillis(1);
        try (LockClient client = client()) {
            open(server);
            assertThatThrownBy(() -> client.getLock(name)
                            .tryAcquire(AcquireOptions.defaults().minHold(tooLong)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'minHold' must be at most PT4S");
            try (Lease lease = client.getLock(name).acquire(PATIENT)) {
                assertThatThrownBy(() -> lease.minHold(tooLong))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("'minHold' must be at most PT4S");
            }
            try (Lease lease = client.getMultiLock(List.of(name, name + "-b")).acquire(PATIENT)) {
                assertThatThrownBy(() -> lease.minHold(tooLong))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("'minHold' must be at most PT4S");
            }
        }
    }

    /** The only test that waits until a grace has passed. */
    @Test
    void minimumHoldAfterAReleaseOutlivesALossOfData() {
        try (LockClient client = client();
                LockClient other = client()) {
            open(server);
            client.getLock(name)
                    .acquire(AcquireOptions.defaults().minHold(LEASE).waitAtMost(LEASE))
                    .close();
            long end = System.nanoTime() + LEASE.toNanos();

            server.flushAll();
            other.getLock(name).acquire(PATIENT).close();

            assertThat(System.nanoTime() - end).isNotNegative();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT5.999S", "PT0.001S", "PT24H0.001S"})
    void graceThatDoesNotFitTheWatchdogTimeoutIsRefused(String grace) {
        RedisLockClientBuilder builder =
                Waits.client(server).watchdogTimeout(LEASE).failoverGrace(Duration.parse(grace));

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "'failoverGrace' must be zero, or at least PT6S, one and a half times the watchdog"
                                + " timeout of PT4S")
                .hasMessageContaining(grace);
    }

    @Test
    void clientWithoutAGraceLeavesNoTraceOfAReign() {
        try (LockClient client = Waits.client(server).build()) {
            Optional<Lease> lease = client.getLock(name).tryAcquire();

            assertThat(server.cli().keys("holdfast:*").stream().filter(key -> !key.startsWith("holdfast:client")))
                    .containsExactly("holdfast:token");
            lease.orElseThrow().close();
        }
    }
}

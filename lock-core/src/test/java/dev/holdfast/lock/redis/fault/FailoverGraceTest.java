package dev.holdfast.lock.redis.fault;

import static dev.holdfast.lock.redis.fixture.GraceClients.GRACE;
import static dev.holdfast.lock.redis.fixture.GraceClients.LEASE;
import static dev.holdfast.lock.redis.fixture.GraceClients.PATIENCE;
import static dev.holdfast.lock.redis.fixture.GraceClients.PATIENT;
import static dev.holdfast.lock.redis.fixture.GraceClients.awaitOpen;
import static dev.holdfast.lock.redis.fixture.GraceClients.end;
import static dev.holdfast.lock.redis.fixture.GraceClients.endAfterSpeech;
import static dev.holdfast.lock.redis.fixture.GraceClients.isRefusedForNow;
import static dev.holdfast.lock.redis.fixture.GraceClients.open;
import static dev.holdfast.lock.redis.fixture.GraceClients.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotYetGrantedException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.composite.QuorumLock;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.LeastRights;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.MovingName;
import dev.holdfast.lock.testing.RedisReplication;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client with a failover grace, and a Redis that forgets its locks. */
@Timeout(Await.TEST_SECONDS)
class FailoverGraceTest {

    private final RedisServer server = RedisServer.start();
    private final String name = Waits.name("grace");
    private final List<AutoCloseable> opened = new ArrayList<>();

    @BeforeEach
    void start() {
        open(server);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        server.close();
    }

    private LockClient client() {
        return client(Waits.client(server));
    }

    private LockClient client(RedisLockClientBuilder builder) {
        LockClient client = with(builder).build();
        opened.add(client);
        return client;
    }

    /** What a restart loses as well, alone. */
    private void forgetThatItIsOpen() {
        server.cli().del(server.cli().keys("holdfast:open:*").get(0));
    }

    private CompletableFuture<Lease> waiting(LockClient client) {
        CompletableFuture<Lease> waiting =
                client.getLock(name).acquireAsync(PATIENT).toCompletableFuture();
        new FairQueue(server, name).awaitLength(1);
        return waiting;
    }

    @Test
    void leaseOfAGivenLengthIsAssertedForItsRestAndNotProlonged() {
        LockClient holder = client();
        LockClient other = client();
        Lease lease = holder.getLock(name)
                .acquire(AcquireOptions.defaults().lease(LEASE).waitAtMost(Duration.ofSeconds(30)));
        long granted = System.nanoTime();

        server.flushAll();
        assertThat(isRefusedForNow(other, name)).isTrue();
        endAfterSpeech(server, name);

        assertThat(server.cli().pttl(name)).isBetween(1L, lease.remaining().toMillis() + LEASE.toMillis() / 10);
        // As after the server's clock was set back.
        server.cli().pexpire(name, Duration.ofHours(1));
        awaitOpen(other);
        assertThat(lease.remaining().toMillis() + Waits.millisSince(granted)).isLessThanOrEqualTo(LEASE.toMillis());
        assertThat(other.getLock(name).tryAcquire()).isEmpty();
        assertThat(server.cli().pttl(name)).isBetween(1L, LEASE.toMillis());
    }

    /** A replica that lags has a permit that was given back since. */
    @Test
    void permitThatIsAssertedReplacesTheOneThatEndsFirst() {
        LockClient client = client();
        Lease lease = client.getSemaphore(name, 1).acquire(PATIENT);
        String owner = client.inspect(name).orElseThrow().owner();
        String[] permit = server.cli().hget(name, owner).split(":");
        forgetThatItIsOpen();

        server.cli().hset(name, "gone:1:1:3000:1", (Long.parseLong(permit[0]) - 1) + ":" + permit[1] + ":1024");
        server.cli().hdel(name, owner);

        Await.until("an assertion", PATIENCE, () -> server.cli().hexists(name, owner));
        assertThat(server.cli().hexists(name, "gone:1:1:3000:1")).isFalse();
        lease.close();
        assertThat(server.cli().exists(name)).isZero();
    }

    /** This writer has lost the lock before, and does not know it yet. */
    @Test
    void writerLeavesTheLockToAReaderWithALaterGrant() {
        Lease lease = client().getReadWriteLock(name).writeLock().acquire(PATIENT);
        String hold = "{" + name + "}:reader:1:1:rwlock_timeout:1";
        forgetThatItIsOpen();

        server.cli().set(hold, LEASE.toMillis() + ":" + (lease.fencingToken() + 1024));
        // At once: the writer would have its lock again if its client found the key missing.
        server.cli().multi();
        server.cli().del(name);
        server.cli().hset(name, Map.of("mode", "read", "reader:1:1", "1"));
        server.cli().exec();

        Await.until("the loss", PATIENCE, () -> !lease.isHeld());
        assertThat(server.cli().exists(hold)).isOne();
        assertThat(server.cli().hgetall(name)).containsOnlyKeys("mode", "reader:1:1");
    }

    @Test
    void releaseAfterTheLossGrantsNothing() {
        LockClient client = client();
        LockClient other = client();
        Lease lease = client.getLock(name).acquire(PATIENT);
        CompletableFuture<Lease> waiting = waiting(other);
        new FairQueue(server, name).awaitHearing();
        forgetThatItIsOpen();

        lease.close();

        assertThat(server.cli().exists(name)).isZero();
        assertThat(waiting).isNotDone();
        assertThat(isRefusedForNow(client, name)).isTrue();
        end(server);
        awaitOpen(client);
        client.getLock(name).tryAcquire().ifPresent(Lease::close);
        Waits.get(waiting).close();
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

    /** Its leases may be longer. */
    @Test
    void slotIsClosedForTheLongestGraceOfThoseWhoAsk() {
        LockClient client = client();
        LockClient patient = Waits.client(server)
                .watchdogTimeout(LEASE)
                .failoverGrace(GRACE.multipliedBy(2))
                .build();
        opened.add(patient);
        server.flushAll();
        assertThat(isRefusedForNow(client, name)).isTrue();
        assertThat(isRefusedForNow(patient, name)).isTrue();

        end(server);
        assertThat(isRefusedForNow(client, name)).isTrue();

        end(server);
        assertThat(isRefusedForNow(client, name)).isFalse();
    }

    /** It is lost alone here, and shows that more may be. */
    @Test
    void slotWithoutItsLastNumberIsClosedForOneGrace() {
        LockClient client = client();
        client.getLock(name).acquire(PATIENT).close();

        server.cli().del("holdfast:token");

        assertThat(isRefusedForNow(client, name)).isTrue();
        end(server);
        assertThat(isRefusedForNow(client, name)).isFalse();
    }

    @Test
    void keyOfAFormerReignIsRemoved() {
        LockClient client = client();
        server.flushAll();
        assertThat(isRefusedForNow(client, name)).isTrue();
        end(server);
        awaitOpen(client);

        server.cli().replicaof("127.0.0.1", 1);
        server.cli().replicaofNoOne();

        assertThat(isRefusedForNow(client, name)).isTrue();
        assertThat(server.cli().keys("holdfast:open:*")).isEmpty();
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
        LockClient client = client();
        server.flushAll();
        assertThat(isRefusedForNow(client, name)).isTrue();
        assertThatThrownBy(() ->
                        client.getLock(name).acquire(AcquireOptions.defaults().waitAtMost(Duration.ofMillis(100))))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("is not granted yet");

        assertThat(client.statistics().busy()).isZero();
        assertThat(client.statistics().unavailable()).isZero();
        assertThat(client.statistics().notYetGranted()).isEqualTo(2);
    }

    @Test
    void leaseThatCouldOutliveTheGraceIsRefused() {
        LockClient client = client();
        assertThatThrownBy(() -> client.getLock(name)
                        .tryAcquire(AcquireOptions.defaults().lease(LEASE.plusMillis(1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'lease' must be at most PT4S, two thirds of the failover grace of PT6S, was PT4.001S: a"
                        + " longer one could outlive the grace. Set a shorter one, or a failover grace of at least"
                        + " PT6.0015S for all clients of this Redis");
    }

    @Test
    void minimumHoldThatCouldOutliveTheGraceIsRefused() {
        Duration tooLong = LEASE.plusMillis(1);
        LockClient client = client();
        assertThatThrownBy(() -> client.getLock(name)
                        .tryAcquire(AcquireOptions.defaults().minHold(tooLong)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'minHold' must be at most PT4S");
        try (Lease lease = client.getLock(name).acquire(PATIENT)) {
            assertThatThrownBy(() -> lease.minHold(tooLong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'minHold' must be at most PT4S");
        }
    }

    /** The only test that waits until a grace has passed. */
    @Test
    void minimumHoldAfterAReleaseOutlivesALossOfData() {
        LockClient client = client();
        LockClient other = client();
        client.getLock(name)
                .acquire(AcquireOptions.defaults().minHold(LEASE).waitAtMost(LEASE))
                .close();
        long end = System.nanoTime() + LEASE.toNanos();

        server.flushAll();
        other.getLock(name).acquire(PATIENT).close();

        assertThat(System.nanoTime() - end).isNotNegative();
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
    void clientThatHearsNoMessagesSpeaksAndIsGrantedLocks() {
        LeastRights.grant(server, "deaf", "+subscribe");
        LockClient deaf = client(Waits.client(RedisSource.of(server.uri("deaf", LeastRights.PASSWORD)))
                .keyPrefix(TwoClients.PREFIX));
        LockClient other = client(Waits.client(server).keyPrefix(TwoClients.PREFIX));
        Lease held = deaf.getLock(name).acquire(PATIENT);
        Lease lease = other.getLock(name + "-wanted").acquire(PATIENT);

        server.flushAll();
        CompletableFuture<Lease> wanted =
                deaf.getLock(name + "-wanted").acquireAsync(PATIENT).toCompletableFuture();
        endAfterSpeech(server, TwoClients.PREFIX + name, TwoClients.PREFIX + name + "-wanted");
        awaitOpen(other);

        assertThat(held.verify()).isTrue();
        assertThat(other.getLock(name).tryAcquire()).isEmpty();
        assertThat(wanted).isNotDone();
        lease.close();
        Waits.get(wanted).close();
    }

    @Test
    void waiterThatClosesDuringTheGraceLeavesTheQueue() {
        LockClient waiter = client();
        server.flushAll();
        CompletableFuture<Lease> waiting = waiting(waiter);

        waiter.close();

        assertThatThrownBy(() -> Waits.get(waiting)).hasStackTraceContaining("closed");
        assertThat(server.cli().llen("redisson_lock_queue:{" + name + "}")).isZero();
    }

    @Test
    void lockThatIsHandedOverInMemoryAfterTheLossKeepsOthersOut() {
        LockClient holder = client(Waits.client(server).handOver(32, Duration.ofMinutes(1)));
        LockClient other = client();
        Lease first = holder.getLock(name).acquire(PATIENT);
        CompletableFuture<Lease> waiting = waiting(holder);

        server.flushAll();
        first.close();
        Lease second = Waits.get(waiting);
        assertThat(second.fencingToken()).as("handed over").isEqualTo(first.fencingToken() + 1);
        assertThat(isRefusedForNow(other, name)).isTrue();
        endAfterSpeech(server, name);
        awaitOpen(other);

        assertThat(second.verify()).isTrue();
        assertThat(other.getLock(name).tryAcquire()).isEmpty();
        second.close();
        try (Lease next = other.getLock(name).acquire(PATIENT)) {
            assertThat(next.fencingToken()).isGreaterThan(second.fencingToken());
        }
    }

    /** What a majority alone does not promise: that its lock survives servers that lose their data, and has one holder meanwhile. */
    @Test
    void majorityOfServersWithAGraceKeepsItsLockThroughRestartsAndGrantsOthersMeanwhile() {
        List<RedisServer> servers = Stream.generate(RedisServer::start).limit(3).toList();
        opened.addAll(servers);
        servers.forEach(each -> open(each));
        LeaseLock ours = QuorumLock.of(name, clients(servers));
        LeaseLock theirs = QuorumLock.of(name, clients(servers));
        LeaseLock free = QuorumLock.of(name + "-free", clients(servers));
        Lease lease = ours.acquire(PATIENT);

        for (RedisServer each : servers) {
            each.restart();
            Await.until("it has spoken", PATIENCE, () -> each.cli().exists(name) == 1);
            assertThat(theirs.tryAcquire()).isEmpty();
            free.acquire(PATIENT).close();
            end(each);
            awaitOpen(client(Waits.client(each)));
        }

        assertThat(lease.verify()).isTrue();
        lease.close();
    }

    /** Some policies run a method while Redis is unavailable. None may while holders can still say what they hold. */
    @Test
    void lockOfSeveralSlotsOrServersSaysThatItIsNotGrantedYet() {
        List<RedisServer> servers = Stream.generate(RedisServer::start).limit(3).toList();
        opened.addAll(servers);
        servers.get(2).kill();
        LockClient slots = client(Waits.client(RedisSource.of(server.uri()).withSeparateSlots()));
        server.restart();

        for (LeaseLock closed :
                List.of(slots.getMultiLock(List.of(name, name + "-b")), QuorumLock.of(name, clients(servers)))) {
            AtomicReference<Throwable> refusal = new AtomicReference<>();
            // The clients first connect to the server that has started again.
            Await.until("the slots are closed", PATIENCE, () -> {
                refusal.set(catchThrowable(closed::tryAcquire));
                return refusal.get() instanceof LockNotYetGrantedException;
            });
            assertThat(refusal.get()).hasMessageContaining(closed.name()).hasMessageContaining("failover-grace");
            assertThat(closed.tryAcquireAsync(AcquireOptions.defaults()))
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .withCauseInstanceOf(LockNotYetGrantedException.class);
        }
    }

    private List<LockClient> clients(List<RedisServer> servers) {
        return servers.stream().map(each -> client(Waits.client(each))).toList();
    }
}

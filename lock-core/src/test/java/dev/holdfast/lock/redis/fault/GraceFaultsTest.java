package dev.holdfast.lock.redis.fault;

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
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotYetGrantedException;
import dev.holdfast.lock.composite.QuorumLock;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.LeastRights;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What else happens to clients with a failover grace while Redis grants nothing. */
@Timeout(Await.TEST_SECONDS)
class GraceFaultsTest {

    private final RedisServer server = RedisServer.start();
    private final String name = Waits.name("grace-faults");
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

    private CompletableFuture<Lease> waiting(LockClient client) {
        CompletableFuture<Lease> waiting =
                client.getLock(name).acquireAsync(PATIENT).toCompletableFuture();
        new FairQueue(server, name).awaitLength(1);
        return waiting;
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

    @ParameterizedTest
    @EnumSource(names = {"READ", "WRITE"})
    void releaseOfAReaderOrWriterDoesNotAskForTheReign(LockKind kind) {
        LeaseLock lock = client().getLock(name, kind);
        lock.acquire(PATIENT).close();
        server.resetStats();

        lock.acquire(PATIENT).close();

        assertThat(server.commandStats()).containsEntry("info", 1L);
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

package dev.holdfast.lock.redis.fault;

import static dev.holdfast.lock.redis.fixture.GraceClients.PATIENCE;
import static dev.holdfast.lock.redis.fixture.GraceClients.PATIENT;
import static dev.holdfast.lock.redis.fixture.GraceClients.end;
import static dev.holdfast.lock.redis.fixture.GraceClients.endAfterSpeech;
import static dev.holdfast.lock.redis.fixture.GraceClients.isRefusedForNow;
import static dev.holdfast.lock.redis.fixture.GraceClients.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.Master;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.redis.fixture.GraceClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A failover grace in a cluster, where each slot is closed on its own. */
@Timeout(Await.TEST_SECONDS)
class GraceClusterTest {

    @AutoClose
    private static RedisCluster cluster;

    private final String name = "{" + Waits.name("grace-cluster") + "}";

    @AutoClose
    private LockClient holder;

    @AutoClose
    private LockClient other;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @BeforeEach
    void begin() {
        // So that no slot has granted anything in its master's reign.
        cluster.servers().subList(0, 3).forEach(RedisServer::flushAll);
        holder = with(Waits.client(cluster)).build();
        other = with(Waits.client(cluster)).build();
    }

    /** A slot grants nothing in its master's first reign either. */
    private void open(String inSlot) {
        assertThat(isRefusedForNow(holder, inSlot)).isTrue();
        end(cluster.masterOf(inSlot));
    }

    @Test
    void onlySlotsOfTheMasterThatLostItsDataAreClosed() {
        String elsewhere = Waits.nameAt(cluster, master -> master != cluster.masterOf(name));
        open(name);
        open(elsewhere);
        Lease lease = holder.getLock(name).acquire(PATIENT);
        holder.getLock(elsewhere).acquire(PATIENT).close();

        cluster.masterOf(name).flushAll();

        assertThat(isRefusedForNow(other, name)).isTrue();
        assertThat(isRefusedForNow(other, elsewhere)).isFalse();
        endAfterSpeech(cluster.masterOf(name), name);
        other.getLock(name + "-next").acquire(PATIENT).close();
        assertThat(lease.verify()).isTrue();
        assertThat(other.getLock(name).tryAcquire()).isEmpty();
        lease.close();
    }

    @Test
    void nothingIsGrantedUntilTheHoldOfEveryKindIsAsserted() {
        open(name);
        List<String> several = List.of(name + "-a", name + "-b");
        List<Lease> leases =
                new ArrayList<>(List.of(holder.getMultiLock(several).acquire(PATIENT)));
        List<String> names = new ArrayList<>(several);
        for (LockKind kind : LockKind.values()) {
            names.add(name + kind);
            leases.add(lock(holder, kind).acquire(PATIENT));
            if (kind.isSemaphore()) {
                leases.add(lock(holder, kind).acquire(PATIENT));
            }
        }
        String[] keys = names.toArray(String[]::new);

        cluster.masterOf(name).flushAll();
        assertThat(isRefusedForNow(other.getMultiLock(several))).isTrue();
        for (LockKind kind : LockKind.values()) {
            assertThat(isRefusedForNow(GraceClients.lock(other, kind, name + "-new")))
                    .as("a new %s lock", kind)
                    .isTrue();
        }
        endAfterSpeech(cluster.masterOf(name), keys);
        other.getLock(name + "-next").acquire(PATIENT).close();

        assertThat(leases).allMatch(Lease::verify);
        assertThat(several).allMatch(each -> other.getLock(each).tryAcquire().isEmpty());
        for (LockKind kind : LockKind.values()) {
            assertThat(excluded(other, kind).tryAcquire()).as(kind.name()).isEmpty();
        }
        leases.forEach(Lease::close);
        assertThat(cluster.masterOf(name).cli().exists(keys)).isZero();
        for (LockKind kind : LockKind.values()) {
            Lease next = excluded(other, kind).acquire(PATIENT);
            assertThat(leases).allMatch(lease -> lease.fencingToken() < next.fencingToken());
            next.close();
        }
    }

    private LeaseSource lock(LockClient client, LockKind kind) {
        return GraceClients.lock(client, kind, name + kind);
    }

    /** Returns the lock of this name that excludes every holder of the kind. */
    private LeaseSource excluded(LockClient client, LockKind kind) {
        return kind == LockKind.READ ? client.getReadWriteLock(name + kind).writeLock() : lock(client, kind);
    }

    @Test
    void eachNewReignOpensOnceForAllSlotsOfItsMaster() {
        RedisServer master = cluster.masterOf(name);
        String unused = Stream.generate(() -> Waits.name("grace-unused"))
                .filter(each -> cluster.masterOf(each) == master)
                .filter(each -> RedisGateway.slotOf(each) != RedisGateway.slotOf(name))
                .findFirst()
                .orElseThrow();
        assertThat(isRefusedForNow(holder, name)).isTrue();
        awaitBegunInEachSlot(master);
        end(master);

        assertThat(isRefusedForNow(other, name)).isFalse();
        assertThat(isRefusedForNow(other, unused)).isFalse();
        master.flushAll();
        assertThat(isRefusedForNow(holder, name)).isTrue();
        awaitBegunInEachSlot(master);
    }

    /** A client has its holders speak every five seconds at most, so the first refusals may follow too soon. */
    private void awaitBegunInEachSlot(RedisServer master) {
        Await.until("the grace has begun in each slot", PATIENCE, () -> {
            isRefusedForNow(holder, name);
            return master.cli().keys("holdfast:reign:*").size() >= Master.SLOTS / 3;
        });
    }

    @Test
    void slotThatMovesIsClosedOnceAndItsHolderKeepsItsLock() {
        open(name);
        Lease lease = holder.getLock(name).acquire(PATIENT);

        cluster.migrate(name, cluster.otherMasterThanOf(name));

        assertThat(isRefusedForNow(other, name + "-next")).isTrue();
        end(cluster.masterOf(name));
        other.getLock(name + "-next").acquire(PATIENT).close();
        assertThat(isRefusedForNow(other, name + "-next")).isFalse();
        assertThat(lease.verify()).isTrue();
        assertThat(other.getLock(name).tryAcquire()).isEmpty();
        lease.close();
    }
}

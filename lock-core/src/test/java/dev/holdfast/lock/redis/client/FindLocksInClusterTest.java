package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.FoundLocks;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ProxiedCluster;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Direction;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.SlotMigration;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Finds the locks of a cluster, behind one proxy for each node, while its slots move and its masters do not answer. */
@Timeout(Await.TEST_SECONDS)
class FindLocksInClusterTest {

    private static final Duration LIMIT = Await.PATIENCE;
    private static final int HELD = 60;

    private static ProxiedCluster proxied;
    private static RedisCluster cluster;

    private final String prefix = Waits.name("fleet") + ":";
    private RedisClusterClient application;
    private LockClient client;
    /** A client on a clock that stands still, whose search has no end, however busy the machine is. */
    private LockClient timeless;

    private List<String> held;

    @BeforeAll
    static void start() {
        proxied = new ProxiedCluster();
        cluster = proxied.cluster();
    }

    @AfterAll
    static void stop() {
        proxied.close();
    }

    @BeforeEach
    void hold() {
        application = proxied.client(ClusterTopologyRefreshOptions.create());
        client = client(System::nanoTime);
        timeless = client(() -> 0);
        Waits.get(client.connected().toCompletableFuture());
        Waits.get(timeless.connected().toCompletableFuture());
        // From here on the connections stand.
        timeless.findLocks();
        held = IntStream.range(0, HELD).mapToObj(i -> "lock-" + i).toList();
        held.forEach(name -> client.getLock(name).lock());
    }

    private LockClient client(LongSupplier clock) {
        return Waits.client(RedisSource.of(application))
                .keyPrefix(prefix)
                .clock(clock)
                .build();
    }

    @AfterEach
    void release() {
        proxied.heal();
        client.close();
        timeless.close();
        application.shutdown(0, 0, TimeUnit.SECONDS);
    }

    private RedisServer masterOf(String name) {
        return cluster.masterOf(prefix + name);
    }

    private static FaultProxy proxyOf(RedisServer server) {
        return proxied.proxyOf(server);
    }

    private static List<String> names(FoundLocks found) {
        return found.locks().stream().map(LockState::lockName).toList();
    }

    /** Returns the locks that no move of this slot hides. Names are random, so one of them may lie in any slot. */
    private List<String> heldOutsideOf(int slot) {
        return held.stream()
                .filter(name -> SlotHash.getSlot(prefix + name) != slot)
                .toList();
    }

    private CompletableFuture<FoundLocks> search() {
        return CompletableFuture.supplyAsync(timeless::findLocks);
    }

    private static long scans(RedisServer server) {
        return server.commandStats().getOrDefault("scan", 0L);
    }

    @Test
    void slotThatMovesToAMasterWhichWasVisitedAlreadyIsMissing() {
        String moved = held.get(0);
        RedisServer source = masterOf(moved);
        RedisServer target = cluster.otherMasterThanOf(prefix + moved);
        long before = scans(target);
        proxyOf(source).holdBack(Direction.TO_SERVER);
        CompletableFuture<FoundLocks> search = search();
        Await.until("the target is visited", LIMIT, () -> scans(target) > before);

        cluster.migrate(prefix + moved, target);
        proxyOf(source).heal();

        FoundLocks found = Waits.get(search);
        assertThat(names(found)).doesNotContain(moved);
        assertThat(found.isComplete()).as("the lock was held all the time").isFalse();
        assertThat(found.missing()).contains("slot");
        assertThat(timeless.findLocks())
                .satisfies(next -> assertThat(next.isComplete()).isTrue())
                .satisfies(next -> assertThat(names(next)).containsExactlyInAnyOrderElementsOf(held));
    }

    @Test
    void slotThatIsMovingMayHideItsLocks() {
        String moving = held.get(0);
        RedisServer source = masterOf(moving);
        SlotMigration migration = cluster.migrationOf(prefix + moving, cluster.otherMasterThanOf(prefix + moving));
        migration.begin();

        FoundLocks found = timeless.findLocks();

        // Redis refuses a script for a lock of such a slot whose queue does not exist.
        assertThat(names(found)).containsAll(heldOutsideOf(SlotHash.getSlot(prefix + moving)));
        assertThat(found.missing()).contains("slots of the cluster").contains(Integer.toString(source.port()));
        migration.moveKeys().finish();
        assertThat(timeless.findLocks().isComplete()).isTrue();
    }

    @Test
    void wholeScanGoesToOneServerWhileItsFirstSlotMoves() {
        RedisServer source = masterOf(held.get(0));
        fill(source);
        int first = firstSlot(source);
        String inFirst = tag(tag -> SlotHash.getSlot(tag) == first);
        CompletableFuture<FoundLocks> search = searchThatIsHeldAt(source);

        cluster.migrate(inFirst, cluster.otherMasterThanOf(inFirst));
        application.refreshPartitions();
        proxyOf(source).heal();

        FoundLocks found = Waits.get(search);
        assertThat(names(found))
                .as(found.missing())
                .containsAll(heldOutsideOf(first))
                .isSubsetOf(held);
        assertThat(found.missing()).contains("slots of the cluster");
    }

    /** Adds so many keys to a server that several commands visit them: 500 keys to a command. */
    private void fill(RedisServer server) {
        String tag = tag(each -> cluster.masterOf(each) == server);
        IntStream.range(0, 1_500).forEach(i -> server.cli().set(tag + i, ""));
    }

    /** Starts a search that has sent the first keys of the server to the client, and waits before the next ones. */
    private CompletableFuture<FoundLocks> searchThatIsHeldAt(RedisServer server) {
        long before = scans(server);
        proxyOf(server).delay(Duration.ofMillis(100));
        CompletableFuture<FoundLocks> search = search();
        Await.until("the first keys are visited", LIMIT, () -> scans(server) > before);
        proxyOf(server).holdBack(Direction.TO_SERVER);
        return search;
    }

    private static String tag(Predicate<String> condition) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "{" + i + "}")
                .filter(condition)
                .findFirst()
                .orElseThrow();
    }

    private static int firstSlot(RedisServer server) {
        return server.cli()
                .clusterNodes()
                .lines()
                .filter(line -> line.contains("myself"))
                .map(line -> line.split(" ")[8].split("-")[0])
                .mapToInt(Integer::parseInt)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void failoverDuringTheSearchIsSaid() {
        RedisServer master = masterOf(held.get(0));
        fill(master);
        RedisServer replica = cluster.replicasOf(master).get(0);
        String inMaster = tag(each -> cluster.masterOf(each) == master);
        CompletableFuture<FoundLocks> search = searchThatIsHeldAt(master);

        replica.cli().clusterFailover(false, true);
        cluster.awaitNewMasterOf(inMaster, master);
        application.refreshPartitions();
        proxyOf(master).heal();

        assertThat(Waits.get(search).missing()).contains("slots of the cluster");
        FoundLocks next = timeless.findLocks();
        assertThat(next.isComplete()).isTrue();
        assertThat(names(next)).containsExactlyInAnyOrderElementsOf(held);
    }

    @Test
    void masterThatDoesNotAnswerIsNamedAndTheOtherMastersLocksAreFound() {
        RedisServer silent = masterOf(held.get(0));
        List<String> atOthers =
                held.stream().filter(name -> masterOf(name) != silent).toList();
        proxyOf(silent).blackHole();

        // On a busy machine, the time of one search may end before all the others have answered.
        Await.until("the others' locks are found", LIMIT, () -> {
            FoundLocks found = client.findLocks();
            assertThat(found.missing()).contains("127.0.0.1:" + silent.port()).contains("answer");
            return names(found).equals(atOthers.stream().sorted().toList());
        });
    }
}

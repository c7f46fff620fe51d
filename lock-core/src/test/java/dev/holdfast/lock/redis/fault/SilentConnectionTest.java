package dev.holdfast.lock.redis.fault;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.ProxiedCluster;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that bring nothing any more and do not end, as when a firewall has forgotten an idle flow. New ones work. */
@Timeout(Await.TEST_SECONDS)
class SilentConnectionTest {

    private static final Duration LIMIT = Duration.ofSeconds(40);

    @AutoClose
    private static ProxiedCluster cluster;

    private final RedisServer server = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final String name = name("silent");

    @BeforeAll
    static void start() {
        cluster = new ProxiedCluster();
    }

    @AfterEach
    void end() {
        proxy.close();
        cluster.heal();
    }

    private FaultProxy node() {
        return cluster.proxyOf(cluster.cluster().masterOf(name));
    }

    private static ClientOwner.Opened open(ClientOwner owner) {
        if (owner == ClientOwner.HOLDFAST) {
            return new ClientOwner.Opened(cluster.source(), () -> {});
        }
        RedisClusterClient application =
                cluster.client(ClusterTopologyRefreshOptions.builder().build());
        return new ClientOwner.Opened(
                RedisSource.of(application, cluster.cluster().uris().get(0)),
                () -> application.shutdown(0, 0, TimeUnit.SECONDS));
    }

    private void awaitService(LockClient client) {
        Await.until("its locks are available", LIMIT, () -> {
            try (Lease lease = client.getLock(name).tryAcquire().orElseThrow()) {
                return lease.isHeld();
            } catch (LockUnavailableException stillSilent) {
                return false;
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void leaseAtANodeIsKept(ClientOwner owner) {
        try (ClientOwner.Opened opened = open(owner);
                LockClient client = Waits.client(opened.source())
                        .watchdogTimeout(Duration.ofSeconds(20))
                        .commandTimeout(Duration.ofSeconds(1))
                        .build()) {
            Lease lease = held(client, name);
            RedisServer master = cluster.cluster().masterOf(name);
            node().silenceConnections();
            long end = System.nanoTime() / 1_000_000 + master.cli().pttl(name);

            // A renewal moves the end by its distance from the last one, which is seconds.
            Await.until(
                    "it is renewed",
                    LIMIT,
                    () -> System.nanoTime() / 1_000_000 + master.cli().pttl(name) > end + 1_000);

            assertThat(lease.isHeld()).isTrue();
            lease.close();
        }
    }

    @Test
    void waiterWhoseMessagesStayAwayIsWoken() {
        try (LockClient holder = Waits.client(server).build();
                LockClient waiter = Waits.client(proxy).build()) {
            assertIsWoken(holder, waiter, server, proxy);
        }
    }

    @Test
    void waiterWhoseMessagesFromANodeStayAwayIsWoken() {
        try (LockClient holder = Waits.client(cluster.cluster()).build();
                LockClient waiter = Waits.client(cluster.source()).build()) {
            assertIsWoken(holder, waiter, cluster.cluster().masterOf(name), node());
        }
    }

    /** Each costs a login. */
    @Test
    void connectionsToOtherNodesAreKept() {
        try (LockClient client = Waits.client(cluster.source()).build()) {
            String elsewhere = Waits.nameAt(
                    cluster.cluster(), master -> master != cluster.cluster().masterOf(name));
            held(client, name).close();
            held(client, elsewhere).close();
            RedisServer other = cluster.cluster().masterOf(elsewhere);
            List<String> before = scriptsOf(other);
            node().silenceConnections();

            awaitService(client);
            held(client, elsewhere).close();

            assertThat(scriptsOf(other)).isEqualTo(before);
        }
    }

    /** The ids of the connections on which the last command was a script. */
    private static List<String> scriptsOf(RedisServer server) {
        return server.cli()
                .clientList()
                .lines()
                .filter(line -> line.contains(" cmd=eval"))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
    }

    private void assertIsWoken(LockClient holder, LockClient waiter, RedisServer at, FaultProxy between) {
        FairQueue queue = new FairQueue(at, name);
        Lease lease = held(holder, name);
        CompletableFuture<Lease> next = wanted(waiter, name);
        queue.awaitLength(1);
        queue.awaitHearing();
        long before = waiter.statistics().wakeUpsBySignal();
        between.silenceSubscriptions();

        // By the next connection: a client that connects says to its waiters that they may have missed messages.
        Await.until("it is woken", LIMIT, () -> waiter.statistics().wakeUpsBySignal() > before);
        lease.close();
        get(next).close();
    }
}

package dev.holdfast.lock.redis.client;

import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.proxy.FaultProxy.Then;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClosedClientTest {

    private static final Duration SOON = Await.PATIENCE;
    private static final Duration COMMAND = Duration.ofMillis(800);

    @AutoClose
    private final RedisServer server = RedisServer.start();

    /** Holds one lock, waits for another, and has let go of a third. */
    private void use(LockClient client, RedisServer at) {
        held(client, name("held"));
        String taken = name("taken");
        at.cli().hset(taken, "elsewhere:1", "1");
        at.cli().pexpire(taken, 5_000);
        CompletableFuture<Lease> wanted = wanted(client, taken);
        Waits.awaitListeners(at, taken, 1);
        assertThat(wanted).isNotDone();
        held(client, name("released")).close();
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each ->
                        each.getName().startsWith("holdfast-") || each.getName().startsWith("lettuce-"))
                .collect(Collectors.toSet());
    }

    private static List<Thread> ours() {
        return threads().stream()
                .filter(each -> each.getName().startsWith("holdfast-"))
                .toList();
    }

    private static void awaitNoneBut(Set<Thread> before) {
        Await.until("no thread is left: " + threads(), SOON, () -> before.containsAll(threads()));
    }

    @Test
    void noThreadOrConnectionIsLeft() {
        long connections = Waits.connections(server);
        Set<Thread> before = threads();
        LockClient client = Waits.client(server).build();
        use(client, server);
        assertThat(Waits.connections(server)).isEqualTo(connections + 2);

        client.close();

        awaitNoneBut(before);
        Await.until("no connection is left", SOON, () -> Waits.connections(server) == connections);
    }

    @Test
    void applicationsClientIsLeftWithNothingOfOurs() {
        long connections = Waits.connections(server);
        RedisClient application = RedisClient.create(server.uri());
        application.connect().close();
        Set<Thread> before = threads();
        LockClient client = Waits.client(RedisSource.of(application)).build();
        use(client, server);

        client.close();

        Await.until("no connection is left", SOON, () -> Waits.connections(server) == connections);
        Await.until("no thread of ours is left", SOON, () -> before.containsAll(ours()));
        application.connect().close();
        application.shutdown(0, 0, TimeUnit.SECONDS);
    }

    /** Event loops, timer and executor that an application lends to a lock client are the application's still when that has closed. */
    @Test
    void resourcesThatWereLentWorkOn() {
        assertLentResourcesOutlive(RedisSource.of(server.uri()));
    }

    private void assertLentResourcesOutlive(RedisSource source) {
        ClientResources resources = ClientResources.create();
        try (LockClient client = Waits.client(source.withResources(resources)).build()) {
            held(client, name("lent")).close();
        }
        assertThat(resources.eventExecutorGroup().isShuttingDown()).isFalse();
        RedisClient application = RedisClient.create(resources, server.uri());
        assertThat(application.connect().sync().ping()).isEqualTo("PONG");
        application.shutdown();
        resources.shutdown(0, 2, TimeUnit.SECONDS);
    }

    @Test
    void schedulerThatWasLentIsGivenBackWithoutATask() {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(2);
        scheduler.setRemoveOnCancelPolicy(true);
        LockClient client = Waits.client(server).scheduler(scheduler).build();
        use(client, server);

        client.close();

        Await.until("nothing is planned", SOON, () -> scheduler.getQueue().isEmpty());
        assertThat(scheduler.isShutdown()).isFalse();
        scheduler.shutdownNow();
    }

    @Test
    void clusterClientLeavesNeitherThreadNorConnectionNorTask() {
        try (RedisCluster cluster = RedisCluster.start()) {
            ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(2);
            scheduler.setRemoveOnCancelPolicy(true);
            String name = name("cluster");
            cluster.servers().forEach(each -> each.cli().ping());
            List<Long> connections = connections(cluster);
            Set<Thread> before = threads();
            LockClient client = Waits.client(cluster).scheduler(scheduler).build();
            held(client, name);
            CompletableFuture<Lease> wanted = wanted(client, name);

            client.close();

            Await.until("nobody waits", SOON, wanted::isCompletedExceptionally);
            Await.until(
                    "nothing is planned",
                    SOON.multipliedBy(2),
                    () -> scheduler.getQueue().isEmpty());
            scheduler.shutdownNow();
            awaitNoneBut(before);
            Await.until(
                    "no connection is left", SOON, () -> connections(cluster).equals(connections));
            assertLentResourcesOutlive(RedisSource.cluster(cluster.uris().toArray(RedisURI[]::new)));
        }
    }

    private static List<Long> connections(RedisCluster cluster) {
        return cluster.servers().stream().map(each -> Waits.connections(each)).toList();
    }

    private enum Outage {
        REFUSED,
        SILENT
    }

    @ParameterizedTest
    @EnumSource
    void closingWhileRedisIsAwayIsQuickAndLeavesNothing(Outage outage) {
        try (FaultProxy proxy = FaultProxy.to(server.port())) {
            LockClient client = Waits.client(proxy).commandTimeout(COMMAND).build();
            Lease lease = held(client, name("away"));
            Lease releasing = held(client, name("away"));
            List<CompletableFuture<?>> waiting = new ArrayList<>();
            if (outage == Outage.REFUSED) {
                proxy.refuseConnections();
                proxy.resetConnections();
            } else {
                proxy.blackHole();
            }
            waiting.add(wanted(client, name("away")));
            waiting.add(releasing.releaseAsync().toCompletableFuture());
            waiting.add(CompletableFuture.supplyAsync(
                    () -> client.inspect(name("away")), task -> new Thread(task).start()));

            long began = System.nanoTime();
            client.close();

            Waits.assertSoon(began, COMMAND.multipliedBy(2));
            assertThat(lease.isHeld()).isFalse();
            Await.until(
                    "nobody waits any more",
                    TwoClients.PATIENCE,
                    () -> waiting.stream().allMatch(CompletableFuture::isDone));
            Await.until("no thread of ours is left", TwoClients.PATIENCE, () -> {
                List<Thread> left = ours();
                if (!left.isEmpty()) {
                    throw new IllegalStateException("Left: " + left);
                }
                return true;
            });
        }
    }

    /** The server has not answered the handshake of that connection. */
    @Test
    void closingWhileTheFirstWaitConnectsLeavesNothing() {
        Set<Thread> before = threads();
        long connected = Waits.connections(server);
        try (FaultProxy proxy = FaultProxy.to(server.port())) {
            LockClient client = Waits.client(proxy).commandTimeout(COMMAND).build();
            held(client, name("free")).close();
            String taken = name("taken");
            server.cli().hset(taken, "elsewhere:1", "1");
            proxy.swallowReplyOf(frame -> frame.isNamed("HELLO"), Then.STAY_SILENT);
            CompletableFuture<Lease> wanted = wanted(client, taken);
            proxy.awaitAccepted(2);

            client.close();

            assertThat(wanted).isCompletedExceptionally();
            awaitNoneBut(before);
        }
        Await.until("no connection is left", SOON, () -> Waits.connections(server) == connected);
    }

    /** The client is connecting again at that moment, and the server accepts connections without an answer. */
    @Nightly(inEachBuild = "closingWhileRedisIsAwayIsQuickAndLeavesNothing")
    @Test
    void closingInAnOutageTakesOneCommandTimeout() {
        Duration timeout = Duration.ofSeconds(9);
        try (FaultProxy proxy = FaultProxy.to(server.port())) {
            LockClient client = Waits.client(proxy).commandTimeout(timeout).build();
            Lease lease = client.getLock(Waits.name("closing")).acquire();
            proxy.blackHole();
            assertThatThrownBy(lease::verify).isInstanceOf(LockUnavailableException.class);
            // So that the release begins in the middle of an attempt to connect.
            Pause.of(timeout.dividedBy(2));
            long since = System.nanoTime();

            client.close();

            assertThat(millisSince(since))
                    .isBetween(
                            timeout.toMillis(),
                            timeout.multipliedBy(4).dividedBy(3).toMillis());
        }
    }

    /** Redis executes the request when it is back, and the client that sent it is gone by then. */
    @ParameterizedTest
    @EnumSource(names = {"REENTRANT", "FAIR", "WRITE"})
    void requestThatIsExecutedAfterTheClosingLeavesNoLock(LockKind kind) {
        String name = name("late");
        // On a clock that stands still, no command times out before the client has closed.
        LockClient client =
                Waits.client(server).commandTimeout(COMMAND).clock(() -> 0).build();
        client.getLock(name("known"), kind).acquire().close();
        long before = Waits.scripts(server);
        server.pause();
        CompletableFuture<Lease> wanted = client.getLock(name, kind)
                .acquireAsync(Waits.waiting(Waits.LONG))
                .toCompletableFuture();

        client.close();
        server.resume();

        assertThat(wanted).isCompletedExceptionally();
        Await.until("the request is executed", TwoClients.PATIENCE, () -> Waits.scripts(server) > before);
        Await.until("no lock is left", SOON, () -> server.cli().exists(name) == 0);
    }
}

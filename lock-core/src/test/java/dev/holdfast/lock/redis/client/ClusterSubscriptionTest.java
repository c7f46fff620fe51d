package dev.holdfast.lock.redis.client;

import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisCluster;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client in a cluster repeats its subscriptions, since a slot may have moved. A waiter asks only if one has. */
@Timeout(Await.TEST_SECONDS)
class ClusterSubscriptionTest {

    private static final Duration LIMIT = Await.PATIENCE;

    @AutoClose
    private static RedisCluster cluster;

    private final String name = name("subscribed");
    private LockClient holder;
    private LockClient waiter;
    private Lease lease;
    private CompletableFuture<Lease> waiting;
    private long signalsBefore;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start("user cut on >secret ~* &* +@all");
    }

    private static LockClient client() {
        return Waits.client(cluster)
                .commandTimeout(LIMIT)
                .pollInterval(Duration.ofMinutes(2))
                .watchdogTimeout(Duration.ofMinutes(10))
                .build();
    }

    @BeforeEach
    void waitForALock() {
        holder = client();
        waiter = client();
        lease = held(holder, name);
        waiting = waiter.getLock(name).acquireAsync(AcquireOptions.defaults()).toCompletableFuture();
        FairQueue queue = new FairQueue(cluster.masterOf(name), name);
        queue.awaitLength(1);
        queue.awaitHearing();
        signalsBefore = signals();
    }

    @AfterEach
    void close() {
        waiting.cancel(false);
        lease.close();
        waiter.close();
        holder.close();
    }

    private long signals() {
        return waiter.statistics().wakeUpsBySignal();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void subscriptionThatMovesOrWhoseConnectionBreaksWakesTheWaiter(boolean moves) {
        if (moves) {
            cluster.migrate(name, cluster.otherMasterThanOf(name));
        } else {
            cluster.masterOf(name).cli().clientKill(KillArgs.Builder.typePubsub());
        }
        Await.until("the waiter asks", LIMIT, () -> signals() > signalsBefore);
        lease.close();
        assertThat(waiting.join().isHeld()).isTrue();
    }

    /** Its connections to the other nodes last, and so does the one for commands. */
    @Test
    void clientWhoseConnectionToANodeBreaksSaysThatItDoesNotHear() {
        RedisURI[] uris = cluster.uris().stream()
                .map(uri -> RedisURI.builder(uri)
                        .withAuthentication("cut", "secret")
                        .build())
                .toArray(RedisURI[]::new);
        FairQueue queue = new FairQueue(cluster.masterOf(name), name);
        try (LockClient cut =
                Waits.client(RedisSource.cluster(uris)).commandTimeout(LIMIT).build()) {
            waiting.cancel(false);
            queue.awaitLength(0);
            CompletableFuture<Lease> behind = Waits.wanted(cut, name);
            queue.awaitLength(1);
            queue.awaitHearing();

            cluster.masterOf(name).cli().aclSetuser("cut", AclSetuserArgs.Builder.resetpass());
            cluster.masterOf(name)
                    .cli()
                    .clientKill(KillArgs.Builder.typePubsub().user("cut"));

            String place = queue.owners().get(0);
            Await.until(
                    "it says so",
                    LIMIT,
                    () -> cluster.masterOf(name).cli().zscore(queue.deadlines(), place) % 1 == 0.5);
            lease.close();
            assertThat(Waits.get(behind).isHeld()).isTrue();
        }
    }
}

package dev.holdfast.lock.redis.fault;

import static dev.holdfast.lock.redis.fixture.Waits.awaitListeners;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisSentinels;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@Nightly(inEachBuild = "FailoverTest, without limits of time, and failovers in the simulation")
class SentinelFailoverTest {

    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration COMMAND = Duration.ofMillis(600);

    /** One poll, one command timeout until the silence is noticed, one until a connect to the silent master is given up. */
    private static final long AFTER_FAILOVER =
            POLL.plus(COMMAND.multipliedBy(2)).toMillis() + 25_000;

    private final RedisSentinels group = RedisSentinels.start();
    private final RedisServer master = group.master();
    private final RedisClient application = RedisClient.create(group.uri());
    private final List<LockClient> clients =
            List.of(client(RedisSource.of(group.uri())), client(RedisSource.of(application)));

    private static LockClient client(RedisSource source) {
        return Waits.client(source).pollInterval(POLL).commandTimeout(COMMAND).build();
    }

    @AfterEach
    void close() {
        clients.forEach(LockClient::close);
        application.shutdown(0, 0, java.util.concurrent.TimeUnit.SECONDS);
        group.close();
    }

    @Test
    void waitersAndNewcomersAreServedSoonAfterTheMasterDied() {
        failOver(master::kill);
    }

    @Test
    void waitersAndNewcomersAreServedSoonAfterTheMasterFellSilent() {
        failOver(master::pause);
    }

    private void failOver(Runnable fault) {
        String name = name("failover");
        for (LockClient client : clients) {
            held(client, name("warm-up")).close();
        }
        // Whoever holds it is elsewhere, and lets go when the new master stands.
        master.cli().hset(name, "elsewhere:1", "1");
        master.cli().pexpire(name, 60_000);
        List<CompletableFuture<Lease>> wanted = new ArrayList<>();
        clients.forEach(client -> wanted.add(wanted(client, name)));
        awaitListeners(master, name, 2);
        master.cli().waitForReplication(2, 5_000);

        fault.run();
        RedisServer promoted = group.awaitNewMaster(master);
        long began = System.nanoTime();
        promoted.cli().del(name);
        clients.forEach(client -> wanted.add(wanted(client, name("newcomer"))));

        assertThat(get(wanted.get(2)).isHeld()).isTrue();
        assertThat(millisSince(began)).as("own client").isLessThan(AFTER_FAILOVER);
        assertThat(get(wanted.get(3)).isHeld()).isTrue();
        assertThat(millisSince(began)).as("application's client").isLessThan(AFTER_FAILOVER);
        ((Lease) get(CompletableFuture.anyOf(wanted.get(0), wanted.get(1)))).close();
        wanted.subList(0, 2).forEach(each -> get(each).close());
        assertThat(millisSince(began)).as("waiters").isLessThan(AFTER_FAILOVER + POLL.toMillis());
        listensAtTheNewMaster(promoted);
    }

    private void listensAtTheNewMaster(RedisServer promoted) {
        String name = name("signals");
        Lease lease = held(clients.get(0), name);
        CompletableFuture<Lease> next = wanted(clients.get(1), name);
        CompletableFuture<Lease> same = wanted(clients.get(0), name);
        Await.until("both listen at the new master", TwoClients.PATIENCE, () -> Waits.listeners(promoted, name) >= 2);
        lease.close();
        get(CompletableFuture.anyOf(next, same));
    }
}

package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.holdfast.lock.FoundLocks;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.fixture.LeastRights;
import dev.holdfast.lock.redis.fixture.RedissonClientFixture;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Finds all locks under a key prefix, regardless of which client or library holds them. */
@Timeout(Await.TEST_SECONDS)
class FindLocksTest {

    private static final String OF_REDISSON = "11a0b1f2-5d3c-4d4e-8f60-718293a4b5c6:1";

    private final RedisServer server = RedisServer.shared();
    private final String prefix = Waits.name("fleet[*]") + ":";
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T open(T resource) {
        opened.add(0, resource);
        return resource;
    }

    private LockClient client(String name) {
        return open(builder().clientName(name).build());
    }

    /** A client whose search has no end and whose requests are answered in time, however busy the machine is. */
    private static RedisLockClientBuilder timeless(RedisLockClientBuilder client) {
        return client.clock(() -> 0).commandTimeout(Await.PATIENCE);
    }

    private RedisLockClientBuilder builder() {
        return timeless(Waits.client(server).keyPrefix(prefix));
    }

    private static List<String> names(FoundLocks found) {
        return found.locks().stream().map(LockState::lockName).toList();
    }

    @Test
    void locksOfEveryKindAndClientAreFound() {
        LockClient here = client("here");
        LockClient there = client("there");
        open(here.getLock("plain").acquire());
        open(there.getFairLock("fair").acquire());
        open(here.getLock("read", LockKind.READ).acquire());
        open(there.getLock("write", LockKind.WRITE).acquire());
        open(here.getSemaphore("semaphore", 3).acquire());
        open(there.getMultiLock(List.of("one", "two")).acquire());
        open(here.getLock("{tenant}:tagged").acquire());
        FoundLocks found = there.findLocks();
        assertThat(found.isComplete()).isTrue();
        assertThat(found.locks())
                .extracting(LockState::lockName, LockState::kind)
                .containsExactly(
                        tuple("fair", LockKind.FAIR),
                        tuple("one", LockKind.REENTRANT),
                        tuple("plain", LockKind.REENTRANT),
                        tuple("read", LockKind.READ),
                        tuple("semaphore", LockKind.SEMAPHORE),
                        tuple("two", LockKind.REENTRANT),
                        tuple("write", LockKind.WRITE),
                        tuple("{tenant}:tagged", LockKind.REENTRANT));
        assertThat(found.locks()).allSatisfy(lock -> {
            assertThat(lock.remaining()).isPositive();
            assertThat(lock.holder().since()).isNotNull();
        });
        assertThat(names(there.findLocks("*ea*"))).containsExactly("read");
        assertThat(names(there.findLocks("nothing"))).isEmpty();
    }

    @Test
    void holdersAndWaitersHaveTheNamesOfTheirClients() {
        LockClient here = client("here");
        LockClient there = client("there");
        open(here.getLock("job").acquire());
        var waiting = there.getLock("job").acquireAsync(Waits.waiting(Waits.LONG));
        Await.until("both are named", TwoClients.PATIENCE, () -> {
            FoundLocks found = there.findLocks();
            LockState job = found.locks().get(0);
            return job.queue().size() == 1
                    && "here".equals(job.holder().clientName())
                    && found.clientName(job.owner()).equals(Optional.of("here"))
                    && found.clientName(job.queue().get(0)).equals(Optional.of("there"))
                    && job.waitersHere() == 1;
        });
        waiting.toCompletableFuture().cancel(false);
    }

    @Test
    void locksOfRedissonAreFound() throws Exception {
        RedissonClientFixture redisson = open(RedissonClientFixture.of(server));
        redisson.run(redisson.lock(prefix + "plain", LockKind.REENTRANT)::lock);
        redisson.run(redisson.lock(prefix + "fair", LockKind.FAIR)::lock);
        redisson.run(redisson.lock(prefix + "read", LockKind.READ)::lock);
        redisson.run(redisson.lock(prefix + "write", LockKind.WRITE)::lock);
        redisson.redisson().getMap(prefix + "map").put("a", "1");
        redisson.redisson().getPermitExpirableSemaphore(prefix + "permits").trySetPermits(2);
        FoundLocks found = client("ours").findLocks();
        assertThat(names(found)).containsExactly("fair", "plain", "read", "write");
        assertThat(found.missing()).isNull();
        assertThat(found.locks()).allSatisfy(lock -> {
            Holder holder = lock.holder();
            assertThat(holder.owner())
                    .isEqualTo(
                            redisson.redisson().getId() + ":" + holder.thread().orElseThrow());
            assertThat(holder.since()).isNull();
            assertThat(lock.remaining()).isPositive();
        });
        for (LockState lock : found.locks()) {
            redisson.run(redisson.lock(prefix + lock.lockName(), lock.kind())::unlock);
        }
    }

    @Test
    void otherKeysAndOtherPrefixesAreNoLocks() {
        server.cli().hset(prefix + "session", Map.of("user:1", "2", "name", "x"));
        server.cli().hset(prefix + "visits", "page:12", "7");
        server.cli().hset(prefix + "cart", "item:4711", "1");
        server.cli().pexpire(prefix + "cart", 60_000);
        server.cli().hset(prefix + "theme", Map.of("mode", "read", "user:12", "1"));
        server.cli().pexpire(prefix + "theme", 60_000);
        server.cli().set(prefix + "text", "1");
        server.cli().hset(prefix + "holdfast:probe:1", "client:1:1", "1");
        server.cli().hset(prefix.substring(0, 3) + "other", "client:1:1", "1");
        server.cli().rpush(prefix + "list", "1");
        assertThat(client("any").findLocks()).isEqualTo(new FoundLocks(List.of(), Map.of(), null));
        server.cli().del(prefix.substring(0, 3) + "other");
    }

    @Test
    void hashOfAnotherProgramIsNotReleasedByForce() {
        LockClient client = client("any");
        for (Map<String, String> other : List.of(
                Map.of("item:4711", "1"),
                Map.of("item:4711", "1", "item:4712", "2"),
                Map.of("name", "x", "holdfast:", "1"),
                Map.of("mode", "read", "user:12", "1"),
                Map.of("mode", "dark", OF_REDISSON, "1"))) {
            String key = prefix + Waits.name("other");
            server.cli().hset(key, other);
            assertThatThrownBy(() -> client.forceRelease(key.substring(prefix.length())))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("not a lock");
            assertThat(server.cli().hgetall(key)).isEqualTo(other);
            server.cli().del(key);
        }
        server.cli().hset(prefix + "theirs", OF_REDISSON, "1");
        assertThat(client.forceRelease("theirs")).isTrue();
    }

    @Test
    void thousandLocksAreTheMostAndTheRestIsSaid() {
        IntStream.range(0, 1_200).forEach(i -> {
            server.pipeline().hset(prefix + i, OF_REDISSON, "1");
            server.pipeline().pexpire(prefix + i, 60_000);
        });
        server.cli().ping();
        FoundLocks found = open(builder().build()).findLocks();
        assertThat(found.locks()).hasSize(1_000);
        assertThat(found.isComplete()).isFalse();
        assertThat(found.missing()).isEqualTo("there may be more than the first 1,000 locks");
        server.cli().del(IntStream.range(0, 1_200).mapToObj(i -> prefix + i).toArray(String[]::new));
    }

    @Test
    void withoutPrefixAllKeysMustBeAskedForExplicitly() {
        String name = Waits.name("unprefixed");
        LockClient client = open(timeless(Waits.client(server)).build());
        open(client.getLock(name).acquire());
        assertThatThrownBy(client::findLocks)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("every hash in the database")
                .hasMessageContaining("or *");
        assertThat(names(client.findLocks("unprefixed-*"))).containsExactly(name);
        assertThat(names(client.findLocks("*"))).contains(name);
    }

    @Test
    void missingRightIsNamedAndOneMoreRightIsEnough() {
        RedisServer own = open(RedisServer.start());
        LeastRights.grant(own, LeastRights.USER, "");
        LockClient client = open(timeless(LeastRights.client(own)).build());
        open(client.getLock("job").acquire());
        assertThatThrownBy(client::findLocks)
                .isInstanceOfSatisfying(
                        LockUnavailableException.class,
                        refused -> assertThat(refused.isTransient()).isFalse())
                .hasMessageStartingWith("The locks cannot be listed: ")
                .hasMessageContaining("scan")
                .hasMessageContaining("docs/acl.conf");
        own.cli().aclSetuser(LeastRights.USER, AclSetuserArgs.Builder.addCommand(CommandType.SCAN));
        assertThat(names(client.findLocks())).containsExactly("job");
        // All keys include those that this user may not read.
        own.cli().hset("foreign", "client:1:1", "1");
        assertThat(client.findLocks("*").isComplete()).isTrue();
        LockClient everywhere =
                open(timeless(LeastRights.client(own)).keyPrefix("").build());
        assertThat(everywhere.findLocks("*").missing())
                .contains("'foreign' could not be read")
                .contains("docs/acl.conf");
    }

    @Test
    void serverThatDoesNotAnswerIsUnavailable() throws Exception {
        FaultProxy proxy = open(FaultProxy.to(server.port()));
        LockClient client = open(Waits.client(proxy).keyPrefix(prefix).build());
        open(client.getLock("job").acquire());
        proxy.blackHole();
        assertThatThrownBy(client::findLocks)
                .isInstanceOfSatisfying(
                        LockUnavailableException.class,
                        silent -> assertThat(silent.isTransient()).isTrue());
        proxy.heal();
    }

    /** Redis visits 500 keys to a command, so 20,000 keys need 40 round trips. */
    @Test
    void endOfTheTimeIsSaidAndWhatWasFoundIsReturned() {
        RedisServer own = open(RedisServer.start());
        for (int i = 0; i < 20; i++) {
            int thousand = 1_000 * i;
            own.cli()
                    .mset(IntStream.range(thousand, thousand + 1_000)
                            .boxed()
                            .collect(Collectors.toMap(key -> "other:" + key, key -> "")));
        }
        for (int i = 0; i < 200; i++) {
            own.cli().hset(prefix + i, OF_REDISSON, "1");
            own.cli().pexpire(prefix + i, 60_000);
        }
        FaultProxy proxy = open(FaultProxy.to(own.port()));
        LockClient client = open(Waits.client(proxy).keyPrefix(prefix).build());
        proxy.delay(Duration.ofMillis(50));
        FoundLocks found = client.findLocks();
        assertThat(found.missing()).isEqualTo("not all keys were visited within 2 s");
        assertThat(found.locks()).hasSizeBetween(1, 199);
    }
}

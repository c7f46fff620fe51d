package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.WrongLockKindException;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What Redis may answer instead of doing as it is told. */
@Timeout(Await.TEST_SECONDS)
class ErrorTableTest {

    private static final Duration LEASE = Duration.ofMillis(900);
    private static final AcquireOptions PATIENT = AcquireOptions.defaults().waitAtMost(Await.PATIENCE);

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private RedisServer server(String... lines) {
        RedisServer server = RedisServer.start(lines);
        opened.add(server);
        return server;
    }

    private LockClient client(RedisURI uri) {
        LockClient client =
                Waits.client(RedisSource.of(uri)).watchdogTimeout(LEASE).build();
        opened.add(client);
        return client;
    }

    @Test
    void serverThatIsLoadingIsWaitedForWithinTheBudget() {
        RedisServer server = server("key-load-delay 300", "loading-process-events-interval-bytes 1024");
        server.cli()
                .mset(IntStream.range(0, 4_000)
                        .boxed()
                        .collect(Collectors.toMap(i -> "filler-" + i, i -> "something to load")));
        LockClient client = client(server.uri());
        client.getLock("before").acquire().close();
        CompletableFuture<Void> restart = CompletableFuture.runAsync(server::restartWithData);
        Await.until("the old server is gone", Await.PATIENCE, () -> isUnavailable(client));

        client.getLock("after").acquire(PATIENT).close();

        restart.join();
    }

    private static boolean isUnavailable(LockClient client) {
        try (Lease lease = client.getLock("probe").tryAcquire().orElseThrow()) {
            return !lease.isHeld();
        } catch (LockUnavailableException e) {
            return true;
        }
    }

    @Test
    void whatOnlyAnOperatorCanRepairFailsAtOnceWithTheFix() {
        RedisServer open = server("user reader on >secret ~* &* +@all -evalsha -eval");
        assertFailsAtOnce(client(open.uri("reader", "secret")), "lock", "NOPERM", "docs/acl.conf");

        RedisServer closed = server("requirepass secret");
        assertFailsAtOnce(client(RedisURI.create("127.0.0.1", closed.port())), "lock", "NOAUTH", "password");
        assertFailsAtOnce(client(closed.uri("default", "guessed")), "lock", "WRONGPASS", "password");
    }

    @Test
    void nameOfSomethingElseFailsAtOnceAsAWrongKindAndLeavesIt() {
        RedisServer server = server();
        server.cli().set("taken", "by a string");
        LockClient client = client(server.uri());

        assertFailsAtOnce(WrongLockKindException.class, client.getLock("taken"), "WRONGTYPE", "choose another name");
        assertFailsAtOnce(
                WrongLockKindException.class,
                client.getMultiLock(List.of("free", "taken")),
                "WRONGTYPE",
                "choose another name");

        assertThat(server.cli().get("taken")).isEqualTo("by a string");
        assertThat(server.cli().exists("free")).isZero();
        assertThat(client.statistics().unavailable()).isZero();
    }

    private static void assertFailsAtOnce(LockClient client, String name, String error, String fix) {
        assertFailsAtOnce(LockUnavailableException.class, client.getLock(name), error, fix);
    }

    private static void assertFailsAtOnce(
            Class<? extends LockException> type, LeaseSource lock, String error, String fix) {
        long begin = System.nanoTime();
        LockException refused = catchThrowableOfType(type, () -> lock.acquire(PATIENT));
        Waits.assertSoon(begin, Duration.ZERO);
        assertThat(refused).hasMessageContaining(error).hasMessageContaining(fix);
    }
}

package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.WrongLockKindException;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What Redis may answer instead of doing as it is told. */
@Timeout(Await.TEST_SECONDS)
class ErrorTableTest {

    private static final Duration LEASE = Duration.ofMillis(900);
    private static final long A_SECOND = Duration.ofSeconds(1).toNanos();
    private static final AcquireOptions PATIENT = AcquireOptions.defaults().waitAtMost(Await.PATIENCE);

    private final RecordingListener listener = new RecordingListener();
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
        return client(uri, LEASE);
    }

    private LockClient client(RedisURI uri, Duration lease) {
        LockClient client = Waits.client(RedisSource.of(uri))
                .watchdogTimeout(lease)
                .listener(listener)
                .build();
        opened.add(client);
        return client;
    }

    @Test
    void forgottenScriptsAreNobodysProblem() {
        RedisServer server = server();
        LockClient client = client(server.uri(), Duration.ofSeconds(6));
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> flushing = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                server.scriptFlush();
                Pause.of(Duration.ofMillis(2));
            }
        });
        Lease held = client.getLock("held").acquire();
        Duration left = held.remaining();
        long began = System.nanoTime();
        int holds = 0;
        // Until it was renewed.
        while (holds <= 100 || left.minus(held.remaining()).toNanos() > System.nanoTime() - began - A_SECOND) {
            client.getLock("short").lock();
            client.getLock("short").unlock();
            Pause.of(Duration.ofMillis(1));
            holds++;
        }
        over.set(true);
        flushing.join();
        assertThat(server.commandStats()).containsKey("eval");
        assertThat(held.isHeld()).isTrue();
        held.close();
        assertThat(listener.losses).isEmpty();
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
        open.cli().set("taken", "by a string");
        assertFailsAtOnce(client(open.uri("reader", "secret")), "lock", "NOPERM", "docs/acl.conf");
        assertThat(open.cli().get("taken")).isEqualTo("by a string");

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

    @Test
    void partOfAMultiLockThatIsHeldAsAnotherKindIsNoOutageOfTheWhole() {
        LockClient client = client(server().uri());
        Lease fair = client.getLock("fair", LockKind.FAIR).acquire();
        MultiLock both = MultiLock.of(List.of(client.getLock("free"), client.getLock("fair")));

        assertFailsAtOnce(WrongLockKindException.class, both, "held as a fair lock", "one kind of lock");

        fair.close();
        both.acquire(PATIENT).close();
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

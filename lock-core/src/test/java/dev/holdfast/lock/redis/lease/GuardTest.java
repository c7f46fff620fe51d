package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGuard.Guarded;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Guarded writes that need no other kind of lock or Redis: hand-overs, scripts of all sorts, failures. */
@Timeout(Await.TEST_SECONDS)
class GuardTest {

    private final RedisServer server = RedisServer.start();
    /** Without a guarded write, it would hand over each grant in memory. */
    private final LockClient client = Waits.timeless(server);

    private final LeaseLock lock = client.getLock(Waits.name("guarded"));

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private CompletableFuture<Lease> waiting() {
        CompletableFuture<Lease> next = Waits.wanted(client, lock.name());
        TwoClients.awaitWaiters(client, lock.name(), 1);
        return next;
    }

    private String owner() {
        return client.inspect(lock.name()).orElseThrow().owner();
    }

    /** A command of the first holder that is late would have the owner and the grant of the second one. */
    @Test
    void grantIsNotHandedOverInMemoryAfterAGuardedWrite() throws Exception {
        Lease first = lock.acquire();
        first.guard().set("value", "first");
        String owner = owner();
        CompletableFuture<Lease> waiting = waiting();

        first.close();

        try (Lease second = ScriptedThread.outcome(waiting)) {
            assertThat(owner()).isNotEqualTo(owner);
            assertThat(second.isHeld()).isTrue();
        }
        assertThat(client.statistics().handOvers()).isZero();
    }

    @Test
    void lateCommandOfAHolderThatHasReleasedChangesNothing() throws Exception {
        Lease first = lock.acquire();
        Guarded late = writing(first);
        CompletableFuture<Lease> waiting = waiting();
        first.close();
        try (Lease second = ScriptedThread.outcome(waiting)) {
            second.guard().set("value", "second");

            assertNotHeld(late);

            assertThat(server.cli().get("value")).isEqualTo("second");
        }
    }

    /** The lock's key lives on for the minimum hold, with the token of the grant. */
    @Test
    void lateCommandOfAHolderWhoseLockStaysTakenChangesNothing() {
        Lease lease = lock.acquire(AcquireOptions.defaults().minHold(Waits.LONG));
        Guarded late = writing(lease);
        lease.close();

        assertNotHeld(late);

        assertThat(server.cli().get("value")).isNull();
    }

    /** The semaphore's key lives on for other permits. */
    @Test
    void lateCommandUnderAPermitThatHasEndedChangesNothing() {
        LeaseSemaphore permits = client.getSemaphore(lock.name(), 2);
        Lease lease = permits.tryAcquire().orElseThrow();
        Guarded late = writing(lease);
        String owner = owner();
        String[] permit = server.cli().hget(lock.name(), owner).split(":");
        server.cli().hset(lock.name(), owner, "1:" + permit[1] + ":" + permit[2]);

        assertNotHeld(late);

        assertThat(server.cli().get("value")).isNull();
    }

    private static Guarded writing(Lease lease) {
        return lease.guard().guarded("return redis.call('set', KEYS[1], ARGV[1])", List.of("value"));
    }

    private void assertNotHeld(Guarded late) {
        assertThatThrownBy(() -> send(late, "late"))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageStartingWith("NOTHELD ");
    }

    /** What another client of the same Redis does. */
    private Object send(Guarded guarded, String... args) {
        return server.cli()
                .eval(
                        guarded.script(),
                        ScriptOutputType.VALUE,
                        guarded.keys().toArray(String[]::new),
                        Stream.concat(guarded.firstArgs().stream(), Stream.of(args))
                                .toArray(String[]::new));
    }

    @Test
    void anotherClientOfTheSameRedisWritesUnderTheLease() {
        try (Lease lease = lock.acquire()) {
            Guarded guarded = writing(lease);

            assertThat(send(guarded, "of another client")).isEqualTo("OK");

            assertThat(server.cli().get("value")).isEqualTo("of another client");
            assertThat(server.cli().scriptExists(guarded.sha1())).containsExactly(true);
        }
    }

    /** It would end the lock that it relies on, or let tokens repeat. */
    @Test
    void writeToAKeyOfTheLocksIsRefused() {
        try (Lease lease = lock.acquire()) {
            Guarded guarded = writing(lease);
            for (String key : List.of(lock.name(), "holdfast:token")) {
                assertThatThrownBy(() -> lease.guard().set(key, "of a user"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("'" + key + "'");
                assertThatThrownBy(() -> send(
                                new Guarded(
                                        guarded.script(),
                                        guarded.sha1(),
                                        List.of(lock.name(), key),
                                        guarded.firstArgs()),
                                "of a user"))
                        .isInstanceOf(RedisCommandExecutionException.class)
                        .hasMessageStartingWith("ERR holdfast: ");
            }
            assertThat(lease.verify()).isTrue();
        }
    }

    @Test
    void errorNamesTheLineThatTheScriptHasAlone() {
        try (Lease lease = lock.acquire()) {
            assertThatThrownBy(() -> lease.guard()
                            .run("local key = KEYS[1]\nreturn redis.call('incr', none.such)", List.of("value")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith(
                            "A guarded write under lock '" + lock.name() + "' failed: Redis refused the command: ERR ")
                    .hasMessageContaining("user_script:2:");
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void firstLineWithFlagsStaysTheFirst() {
        try (Lease lease = lock.acquire()) {
            assertThatThrownBy(() -> lease.guard()
                            .run("#!lua flags=no-writes\nreturn redis.call('set', KEYS[1], 1)", List.of("value")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Write commands are not allowed");
            assertThat(lease.guard().run("#!lua flags=no-writes\nreturn #KEYS", List.of("value")))
                    .containsExactly(1L);
        }
    }

    @Test
    void lockThatAnotherProgramHasOverwrittenIsLost() {
        Lease lease = lock.acquire();
        server.cli().set(lock.name(), "not a lock");

        assertThatThrownBy(() -> lease.guard().set("value", "stale")).isInstanceOf(LeaseLostException.class);

        assertThat(server.cli().get("value")).isNull();
    }

    @Test
    void closedClientWritesNothing() {
        Lease lease = lock.acquire();
        client.close();
        assertThatThrownBy(() -> lease.guard().set("value", "late"))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("closed");
        assertThat(server.cli().get("value")).isNull();
    }

    @Test
    void valueWithoutATimeStays() {
        try (Lease lease = lock.acquire()) {
            lease.guard().set("value", "for ever");
            assertThat(server.cli().pttl("value")).isEqualTo(-1);
            assertThatThrownBy(() -> lease.guard().set("value", "x", Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("'keep' must be at least PT0.001S, was PT0S");
        }
    }

    /** One command. Inside, Redis reads one hash. */
    @Test
    void guardedWriteIsOneCommand() {
        try (Lease lease = lock.acquire()) {
            lease.guard().set("value", "x");
            server.resetStats();

            lease.guard().set("value", "y");

            assertThat(server.commandStats())
                    .containsEntry("evalsha", 1L)
                    .containsEntry("hmget", 1L)
                    .containsEntry("set", 1L)
                    .doesNotContainKeys("eval", "pexpire");
        }
    }
}

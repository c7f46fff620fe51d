package dev.holdfast.lock.redis.readwrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.fixture.LeastRights;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rights that {@code docs/acl.conf} gives for read/write locks: enough with all of them, and each of them needed. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadWriteRightsTest {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static LockClient clientWithout(String right) {
        server.flushAll();
        server.scriptFlush();
        LeastRights.grant(server, LeastRights.USER, right);
        return LeastRights.client(server).watchdogTimeout(Duration.ofSeconds(2)).build();
    }

    private static void assertEveryKeyHasAnEnd() {
        assertThat(server.cli().keys("*lock:*")).allMatch(key -> server.cli().pttl(key) != -1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"name", "{tenant}:name"})
    void bothSidesDoEverythingWithTheRightsOfTheFile(String name) throws Exception {
        try (LockClient client = clientWithout("");
                ScriptedThread writer = new ScriptedThread()) {
            Lease read = client.getLock(name, LockKind.READ).acquire();
            var waiting =
                    writer.start(() -> client.getLock(name, LockKind.WRITE).tryLock(TwoClients.PATIENCE));
            TwoClients.awaitWaiters(client, name, 1);
            read.extend(Duration.ofSeconds(5));
            assertThat(read.verify()).isTrue();
            read.close();
            assertThat(ScriptedThread.outcome(waiting)).isTrue();
            writer.run(() -> client.getLock(name, LockKind.READ).lock());
            writer.run(() -> client.getLock(name, LockKind.WRITE).unlock());
            assertThat(client.inspect(name).orElseThrow().kind()).isEqualTo(LockKind.READ);
            assertThat(client.forceRelease(name)).isTrue();
            assertThat(client.getLock(name, LockKind.WRITE)
                            .tryAcquire(AcquireOptions.defaults().waitAtMost(Duration.ofMillis(10))))
                    .isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"~{lock:*", "~redisson_lock_queue:{lock:*"})
    void missingKeyIsNamedWithItsFixBeforeAnythingIsWritten(String right) {
        try (LockClient client = clientWithout(right)) {
            for (LockKind kind : new LockKind[] {LockKind.READ, LockKind.WRITE}) {
                assertThatThrownBy(() -> client.getLock("name", kind)
                                .acquire(AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(1))))
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("docs/acl.conf");
            }
            assertThat(server.cli().keys("*name*")).isEmpty();
        }
    }

    @Test
    void holdThatMayNotBeDeletedEndsWithItsLease() {
        try (LockClient client = clientWithout("+hdel")) {
            Lease read = client.getLock("name", LockKind.READ).acquire();

            read.close();

            assertThat(server.cli().exists("lock:name")).isEqualTo(1);
            assertEveryKeyHasAnEnd();
        }
    }

    @Test
    void lockThatMayNotBeGivenAnEndIsNotTaken() {
        try (LockClient client = clientWithout("+pexpire")) {
            for (LockKind kind : new LockKind[] {LockKind.READ, LockKind.WRITE}) {
                assertThatThrownBy(() -> client.getLock("name", kind).tryLock())
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("docs/acl.conf");
                assertThat(server.cli().keys("*name*")).isEmpty();
            }
        }
    }
}

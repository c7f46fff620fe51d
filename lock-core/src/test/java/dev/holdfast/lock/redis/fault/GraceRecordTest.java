package dev.holdfast.lock.redis.fault;

import static dev.holdfast.lock.redis.fixture.GraceClients.LEASE;
import static dev.holdfast.lock.redis.fixture.GraceClients.PATIENCE;
import static dev.holdfast.lock.redis.fixture.GraceClients.PATIENT;
import static dev.holdfast.lock.redis.fixture.GraceClients.awaitOpen;
import static dev.holdfast.lock.redis.fixture.GraceClients.end;
import static dev.holdfast.lock.redis.fixture.GraceClients.endAfterSpeech;
import static dev.holdfast.lock.redis.fixture.GraceClients.isRefusedForNow;
import static dev.holdfast.lock.redis.fixture.GraceClients.open;
import static dev.holdfast.lock.redis.fixture.GraceClients.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Texts beside locks, clients with a failover grace, and a Redis that forgets them. */
@Timeout(Await.TEST_SECONDS)
class GraceRecordTest {

    private static final Duration DAY = Duration.ofDays(1);

    private final RedisServer server = RedisServer.start();
    private final String name = Waits.name("grace-record");
    private LockClient writer;
    private LockClient other;

    @BeforeEach
    void start() {
        open(server);
        writer = client();
        other = client();
    }

    @AfterEach
    void close() {
        writer.close();
        other.close();
        server.close();
    }

    private LockClient client() {
        return with(Waits.client(server)).build();
    }

    private void write(LockClient client, String text, Duration keep) {
        write(client, name, text, keep);
    }

    private static void write(LockClient client, String name, String text, Duration keep) {
        try (Lease lease = client.getLock(name).acquire(PATIENT)) {
            client.getRecord(name).write(lease, text, keep);
        }
    }

    private static String key(String name) {
        return "holdfast:record:{" + name + "}";
    }

    private String read(LockClient client) {
        return client.getRecord(name).read().text();
    }

    @Test
    void recordIsWrittenAgainByItsWritersClient() {
        write(writer, "tick 1", DAY);

        server.restart();
        // The client holds nothing and asks for nothing: it notices that its connection has ended.
        awaitText(name, "tick 1", LEASE);

        assertThat(server.cli().pttl(key(name))).isBetween(DAY.minusMinutes(2).toMillis(), DAY.toMillis());
    }

    private void awaitText(String of, String text, Duration limit) {
        Await.until("'" + text + "' is there again", limit, () -> {
            String kept = server.cli().get(key(of));
            return kept != null && kept.endsWith(":" + text);
        });
    }

    /** Its connection has not ended, and another client finds Redis closed. */
    @Test
    void recordOfAClientThatAsksForNothingIsThereAgainAfterAFlush() {
        write(writer, name + "-mine", "mine", DAY);
        write(writer, name, "tick 1", DAY);
        write(other, name, "tick 2", DAY);

        server.flushAll();
        assertThat(isRefusedForNow(other, name)).isTrue();

        awaitText(name, "tick 2", PATIENCE);
        awaitText(name + "-mine", "mine", PATIENCE);
    }

    @Test
    void textThatIsWrittenOftenIsNotForgottenForAThousandOthers() {
        write(writer, "tick 1", DAY);
        for (int i = 1; i < 1_000; i++) {
            write(writer, name + i, "one of many", DAY);
        }
        write(writer, "tick 2", DAY);
        write(writer, name + "-last", "one more", DAY);

        server.flushAll();
        assertThat(isRefusedForNow(writer, name)).isTrue();

        awaitText(name + "-last", "one more", PATIENCE);
        awaitText(name, "tick 2", PATIENCE);
    }

    @Test
    void laterWriterWins() {
        write(writer, "tick 1", DAY);
        write(other, "tick 2", DAY);

        server.flushAll();
        assertThat(isRefusedForNow(other, name)).isTrue();
        Await.until("one is there again", PATIENCE, () -> read(other) != null);
        server.resetStats();
        assertThat(isRefusedForNow(writer, name)).isTrue();
        Await.until("the other one was sent", PATIENCE, () -> Waits.scripts(server) >= 2);
        end(server);
        awaitOpen(other);

        assertThat(read(other)).isEqualTo("tick 2");
    }

    @Test
    void recordThatHasEndedIsNotWrittenAgain() {
        write(writer, "short", Duration.ofMillis(1));
        write(writer, name + "-later", "long", DAY);

        server.flushAll();
        assertThat(isRefusedForNow(writer, name)).isTrue();
        endAfterSpeech(server, key(name + "-later"));
        awaitOpen(writer);

        assertThat(read(other)).isNull();
    }

    @Test
    void recordIsNotWrittenAgainWhileRedisGrantsLocks() {
        write(writer, "tick 1", DAY);
        server.cli().del(key(name));
        server.resetStats();
        // The client asserts what it knows when its connection has ended.
        server.clientKill(RedisServer.ClientType.NORMAL);
        Await.until("it has asserted", LEASE, () -> server.commandStats().getOrDefault("info", 0L) > 0);

        // Its connection has ended, too.
        awaitOpen(other);
        assertThat(read(other)).isNull();
    }

    @Test
    void holderWritesARecordRightAfterTheLoss() {
        try (Lease lease = writer.getLock(name).acquire(PATIENT)) {
            server.flushAll();

            writer.getRecord(name).write(lease, "tick 1", DAY);

            assertThat(lease.verify()).isTrue();
        }
        assertThat(read(other)).isEqualTo("tick 1");
    }

    @Test
    void holderWhoseLockIsLostWritesNothing() {
        Lease lease = writer.getLock(name).acquire(PATIENT);
        server.flushAll();
        try (LockClient withoutGrace = Waits.client(server).build();
                Lease later = withoutGrace.getLock(name).acquire(PATIENT)) {
            assertThatThrownBy(() -> writer.getRecord(name).write(lease, "tick 1", DAY))
                    .isInstanceOf(LeaseLostException.class);

            assertThat(later.isHeld()).isTrue();
            assertThat(read(other)).isNull();
        }
    }
}

package dev.holdfast.lock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What another user of the same Redis tries, as far as its rights allow. */
@Timeout(Await.TEST_SECONDS)
class HostileTenantTest {

    private static final String LOCK = "guarded";

    private final RedisServer server = RedisServer.start();
    private final LockClient holder = client();
    private final LockClient waiter = client();

    private LockClient client() {
        return RedisLockClient.builder(RedisSource.of(server.uri()))
                .checkAtStart(false)
                .build();
    }

    @AfterEach
    void stop() {
        waiter.close();
        holder.close();
        server.close();
    }

    private CompletableFuture<Optional<Lease>> startWaiting() {
        CompletableFuture<Optional<Lease>> waiting = waiter.getLock(LOCK)
                .tryAcquireAsync(AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1)))
                .toCompletableFuture();
        Await.until(
                "a place in line", Await.PATIENCE, () -> server.cli().llen("redisson_lock_queue:{" + LOCK + "}") == 1);
        return waiting;
    }

    private String place() {
        return server.cli().lindex("redisson_lock_queue:{" + LOCK + "}", 0);
    }

    private String wakeChannel() {
        Await.until(
                "the client's channel",
                Await.PATIENCE,
                () -> !server.cli().pubsubChannels("holdfast:wake:*").isEmpty());
        String client = place().substring(0, place().indexOf(':'));
        return "holdfast:wake:" + client;
    }

    @Test
    void namesThatOnlyLookAlikeAreTwoLocks() {
        try (Lease composed = holder.getLock("caf\u00e9").acquire();
                Lease decomposed = holder.getLock("cafe\u0301").acquire();
                Lease upper = holder.getLock("CAF\u00c9").acquire()) {
            assertThat(composed.fencingToken())
                    .isNotEqualTo(decomposed.fencingToken())
                    .isNotEqualTo(upper.fencingToken());
        }
    }

    /** A grant that the waiter's client never drew: wrong token, wrong place, no number, far too long. */
    @Test
    void falseGrantsAreNotBelieved() {
        try (Lease lease = holder.getLock(LOCK).acquire()) {
            CompletableFuture<Optional<Lease>> waiting = startWaiting();
            String channel = wakeChannel();
            String place = place();
            server.cli().publish(channel, place + " 1");
            server.cli().publish(channel, place + " x");
            server.cli().publish(channel, place + " -9223372036854775808 9");
            server.cli().publish(channel, "nobody:1:1:3000 " + Long.MAX_VALUE);
            server.cli().publish(channel, "");
            server.cli().publish(channel, "x".repeat(1 << 20));
            // All of them have been read once a question that came after them is answered.
            assertThat(waiter.inspect(LOCK)).isPresent();
            assertThat(waiting).isNotDone();
            assertThat(lease.verify()).isTrue();
            waiting.cancel(false);
        }
    }

    /** Two thousand wake-ups for nothing, on every channel there is. */
    @Test
    void spamCostsRedisNoQuestionForEachMessage() {
        Lease lease = holder.getLock(LOCK).acquire();
        CompletableFuture<Optional<Lease>> waiting = startWaiting();
        String channel = wakeChannel();
        String place = place();
        server.resetStats();
        for (int i = 0; i < 1_000; i++) {
            server.cli().publish(channel, place);
            server.cli().publish("redisson_lock__channel:{" + LOCK + "}", "0");
        }
        long asked = server.commandStats().getOrDefault("evalsha", 0L);
        assertThat(asked).as("questions for 2,000 messages").isLessThan(2_000);
        lease.close();
        waiting.join().orElseThrow().close();
    }

    @Test
    void guessedOwnerFreesNothing() {
        try (Lease lease = holder.getLock(LOCK).acquire()) {
            String owner = server.cli().hkeys(LOCK).stream()
                    .filter(field -> !field.startsWith("holdfast:"))
                    .findFirst()
                    .orElseThrow();
            // The client's part is 128 random bits; the rest can be guessed.
            String guessed = "AAAAAAAAAAAAAAAAAAAAAA" + owner.substring(owner.indexOf(':'));
            String released = server.cli()
                    .eval(
                            "return redis.call('hdel', KEYS[1], ARGV[1])",
                            io.lettuce.core.ScriptOutputType.INTEGER,
                            new String[] {LOCK},
                            guessed)
                    .toString();
            assertThat(released).isEqualTo("0");
            assertThat(lease.verify()).isTrue();
            assertThat(owner.substring(0, owner.indexOf(':'))).matches("[A-Za-z0-9_-]{22}");
        }
    }
}

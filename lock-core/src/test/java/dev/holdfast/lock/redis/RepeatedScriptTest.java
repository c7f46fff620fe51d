package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.redis.LockProtocol.Released;
import dev.holdfast.lock.redis.LockProtocol.Reply;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each script, sent a second time with the same arguments, as a client does that resends what was in flight. */
class RepeatedScriptTest {

    private final RedisServer server = RedisServer.shared();
    private final Timer timer = Timer.onThread("repeated-script-test");
    private final RedisGateway gateway = new RedisGateway(
            RedisSource.of(server.uri())::open,
            ConnectionSettings.forLease(Duration.ofSeconds(30)),
            timer,
            Ticker.system());
    private final LockKeys keys = new LockKeys("", false);
    private final PlainProtocol protocol = new PlainProtocol(gateway, keys, 0);
    private final String key = "repeated-" + UUID.randomUUID();

    @AfterEach
    void close() {
        server.cli().del(key);
        gateway.close();
        timer.close();
    }

    private static <T> T now(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }

    private Reply acquire(String owner, long leaseMillis) {
        LeaseTerms terms = new LeaseTerms(
                Duration.ofMillis(leaseMillis).toNanos(),
                false,
                0,
                LeaseTerms.NO_LIMIT,
                false,
                false,
                Thread.currentThread());
        return now(protocol.acquire(new LockProtocol.Question(key, owner, terms, 0, false)));
    }

    private Map<String, String> state() {
        return server.cli().hgetall(key);
    }

    @Test
    void acquisitionAnswersAndLeavesTheSame() {
        Reply first = acquire("a:1:1", 5_000);
        Map<String, String> once = state();

        assertThat(acquire("a:1:1", 5_000))
                .usingRecursiveComparison()
                .ignoringFields("sentAt")
                .isEqualTo(first);

        assertThat(state()).isEqualTo(once).containsEntry("a:1:1", "1");
        assertThat(server.cli().pttl(key)).isBetween(1L, 5_000L);
    }

    @Test
    void acquisitionThatIsRepeatedLateNeverShortensAnExtendedLease() {
        acquire("a:1:1", 1_000);
        now(protocol.extend(key, "a:1:1", 20_000));

        acquire("a:1:1", 1_000);
        acquire("b:1:1", 1_000);

        assertThat(server.cli().pttl(key)).isGreaterThan(15_000);
    }

    @Test
    void releaseThatIsRepeatedFreesNothingAndSaysSo() {
        acquire("a:1:1", 5_000);

        assertThat(now(protocol.release(key, "a:1:1", 0)).wasOwner()).isTrue();
        assertThat(now(protocol.release(key, "a:1:1", 0))).isEqualTo(new Released(false, 0));
        assertThat(state()).isEmpty();
    }

    @Test
    void lateReleaseCannotFreeTheNextGrantOfTheSameThread() {
        acquire("a:1:1", 5_000);
        now(protocol.release(key, "a:1:1", 0));
        acquire("a:1:2", 5_000);
        Map<String, String> next = state();

        assertThat(now(protocol.release(key, "a:1:1", 0)).wasOwner()).isFalse();
        assertThat(now(protocol.release(key, "a:1:1", 100)).wasOwner()).isFalse();

        assertThat(state()).isEqualTo(next);
        assertThat(server.cli().pttl(key)).isGreaterThan(1_000);
    }

    @Test
    void lateRenewalOrExtensionNeverProlongsTheNextGrant() {
        acquire("a:1:1", 5_000);
        now(protocol.release(key, "a:1:1", 0));
        acquire("a:1:2", 5_000);
        Map<String, String> next = state();

        assertThat(renew("a:1:1", 20_000)).isEqualTo(0L);
        assertThat(now(protocol.extend(key, "a:1:1", 20_000))).isFalse();

        assertThat(state()).isEqualTo(next);
        assertThat(server.cli().pttl(key)).isLessThanOrEqualTo(5_000);
    }

    @Test
    void renewalTwiceIsARenewalOnce() {
        acquire("a:1:1", 1_000);
        Map<String, String> once = state();

        assertThat(renew("a:1:1", 5_000)).isEqualTo(1L);
        assertThat(renew("a:1:1", 5_000)).isEqualTo(1L);

        assertThat(state()).isEqualTo(once);
        assertThat(server.cli().pttl(key)).isBetween(1_000L, 5_000L);
    }

    @Test
    void extensionTwiceIsAnExtensionOnce() {
        acquire("a:1:1", 1_000);

        assertThat(now(protocol.extend(key, "a:1:1", 5_000))).isTrue();
        Map<String, String> once = state();
        assertThat(now(protocol.extend(key, "a:1:1", 5_000))).isTrue();

        assertThat(state()).isEqualTo(once);
        assertThat(server.cli().pttl(key)).isBetween(1_000L, 5_000L);
    }

    private Object renew(String owner, long leaseMillis) {
        return gateway.run(protocol.renewal(), List.of(key), List.of(owner, Long.toString(leaseMillis)))
                .join()
                .get(0);
    }
}

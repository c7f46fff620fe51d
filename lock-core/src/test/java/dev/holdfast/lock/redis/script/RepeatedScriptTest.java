package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.leftMillis;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.protocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.AcquireRequest.Hearing;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseRequest;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseResult;
import dev.holdfast.lock.internal.protocol.PlainProtocol;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each script, sent a second time with the same arguments, as a client does that resends what was in flight. */
class RepeatedScriptTest {

    private final RedisServer server = RedisServer.shared();
    private final ScriptConnection connection = new ScriptConnection(server);
    private final RedisGateway gateway = connection.gateway;
    private final LockKeys keys = ScriptConnection.KEYS;
    private final PlainProtocol protocol = new PlainProtocol(gateway, keys, 0, LockKind.REENTRANT);
    private final String key = "repeated-" + UUID.randomUUID();

    @AfterEach
    void close() {
        server.cli().del(key);
        connection.close();
    }

    private Answer acquire(String owner, long leaseMillis) {
        return now(
                protocol.acquire(new AcquireRequest(key, key, owner, terms(leaseMillis), 1, 0, 0, Hearing.YES, null)));
    }

    /** What the owner was granted; with the present token if it is another's. */
    private Grant grant(String owner) {
        long token = Long.parseLong(server.cli().hget(key, "holdfast:token"));
        return new Grant(key, key, owner, token, 1, 0, 1_000_000_000);
    }

    private Map<String, String> state() {
        return server.cli().hgetall(key);
    }

    @Test
    void acquisitionThatIsRepeatedFindsItsGrantAndProlongsNothing() {
        Answer.Granted first = (Answer.Granted) acquire("a:1:1:3000", 5_000);
        Map<String, String> once = state();
        server.cli().pexpire(key, 2_000);

        Answer.Granted again = (Answer.Granted) acquire("a:1:1:3000", 5_000);

        assertThat(leftMillis(first)).isEqualTo(5_000);
        assertThat(again.grant().firstToken()).isEqualTo(first.grant().firstToken());
        assertThat(leftMillis(again)).isBetween(1L, 2_000L);
        assertThat(state()).isEqualTo(once).containsEntry("a:1:1:3000", "1");
        assertThat(server.cli().pttl(key)).isBetween(1L, leftMillis(again));
    }

    @Test
    void acquisitionThatIsRepeatedLateNeverShortensAnExtendedLease() {
        acquire("a:1:1:3000", 1_000);
        now(protocol.extend(grant("a:1:1:3000"), 20_000));

        acquire("a:1:1:3000", 1_000);
        acquire("b:1:1:3000", 1_000);

        assertThat(server.cli().pttl(key)).isGreaterThan(15_000);
    }

    @Test
    void releaseThatIsRepeatedFreesNothingAndSaysSo() {
        acquire("a:1:1:3000", 5_000);

        assertThat(now(protocol.release(new ReleaseRequest(key, "a:1:1:3000", 0, 0)))
                        .wasOwner())
                .isTrue();
        assertThat(now(protocol.release(new ReleaseRequest(key, "a:1:1:3000", 0, 0))))
                .isEqualTo(new ReleaseResult(false, 0));
        assertThat(state()).isEmpty();
    }

    @Test
    void lateReleaseCannotFreeTheNextGrantOfTheSameThread() {
        acquire("a:1:1:3000", 5_000);
        now(protocol.release(new ReleaseRequest(key, "a:1:1:3000", 0, 0)));
        acquire("a:1:2:3000", 5_000);
        Map<String, String> next = state();

        assertThat(now(protocol.release(new ReleaseRequest(key, "a:1:1:3000", 0, 0)))
                        .wasOwner())
                .isFalse();
        assertThat(now(protocol.release(new ReleaseRequest(key, "a:1:1:3000", 100, 0)))
                        .wasOwner())
                .isFalse();

        assertThat(state()).isEqualTo(next);
        assertThat(server.cli().pttl(key)).isGreaterThan(1_000);
    }

    @Test
    void lateRenewalOrExtensionNeverProlongsTheNextGrant() {
        acquire("a:1:1:3000", 5_000);
        now(protocol.release(new ReleaseRequest(key, "a:1:1:3000", 0, 0)));
        acquire("a:1:2:3000", 5_000);
        Map<String, String> next = state();

        assertThat(renew("a:1:1:3000", 20_000)).isEqualTo(0L);
        assertThat(now(protocol.extend(grant("a:1:1:3000"), 20_000))).isFalse();

        assertThat(state()).isEqualTo(next);
        assertThat(server.cli().pttl(key)).isLessThanOrEqualTo(5_000);
    }

    @Test
    void renewalTwiceIsARenewalOnce() {
        acquire("a:1:1:3000", 1_000);
        String token = state().get("holdfast:token");

        assertThat(renew("a:1:1:3000", 5_000)).isEqualTo(1L);
        // More than it was granted for: a first lease is short.
        assertThat(state()).isEqualTo(Map.of("a:1:1:3000", "1", "holdfast:token", token, "holdfast:lease", "5000"));
        assertThat(renew("a:1:1:3000", 5_000)).isEqualTo(1L);

        assertThat(state()).isEqualTo(Map.of("a:1:1:3000", "1", "holdfast:token", token, "holdfast:lease", "5000"));
        assertThat(server.cli().pttl(key)).isBetween(1_000L, 5_000L);
    }

    @Test
    void extensionTwiceIsAnExtensionOnce() {
        acquire("a:1:1:3000", 1_000);

        assertThat(now(protocol.extend(grant("a:1:1:3000"), 5_000))).isTrue();
        Map<String, String> once = state();
        assertThat(now(protocol.extend(grant("a:1:1:3000"), 5_000))).isTrue();

        assertThat(state()).isEqualTo(once);
        assertThat(server.cli().pttl(key)).isBetween(1_000L, 5_000L);
    }

    /** After Redis has lost the first grant, its owner id may name a second one. */
    @Test
    void renewalAndExtensionNameTheirGrantByItsToken() {
        acquire("a:1:1:3000", 1_000);
        Grant lost = grant("a:1:1:3000");
        server.cli().del(key);
        acquire("a:1:1:3000", 1_000);
        Map<String, String> next = state();

        assertThat(renew(lost, 20_000)).isEqualTo(0L);
        assertThat(now(protocol.extend(lost, 20_000))).isFalse();

        assertThat(state()).isEqualTo(next);
        assertThat(server.cli().pttl(key)).isLessThanOrEqualTo(1_000);
    }

    /** Sent before the release, over a connection that has ended since. */
    @Test
    void renewalThatComesAfterTheReleaseDoesNotShortenAMinimumHold() {
        acquire("a:1:1", 1_000);
        Grant grant = grant("a:1:1");
        now(protocol.release(new ReleaseRequest(key, "a:1:1", 20_000, 0)));

        renew(grant, 1_000);

        assertThat(server.cli().pttl(key)).isGreaterThan(15_000);
    }

    private Object renew(String owner, long leaseMillis) {
        return renew(grant(owner), leaseMillis);
    }

    private Object renew(Grant grant, long leaseMillis) {
        return gateway.run(protocol.renewal(), List.of(key), protocol.renewal(grant, leaseMillis))
                .join()
                .get(0);
    }
}

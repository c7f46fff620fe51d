package dev.holdfast.lock.redis.fault;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.protocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.AcquireRequest.Hearing;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseRequest;
import dev.holdfast.lock.internal.protocol.MultiProtocol;
import dev.holdfast.lock.internal.protocol.PlainProtocol;
import dev.holdfast.lock.internal.protocol.ReadWriteProtocol;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A renewal that is written behind its lease's release. The lock is kept for its minimum hold and no longer. */
class LateRenewalTest {

    private static final long LEASE = 60_000;
    private static final long MIN_HOLD = 20_000;
    private static final String OWNER = "a:1:1:0:3";

    private static final RedisServer SERVER = RedisServer.shared();
    private final ScriptConnection connection = new ScriptConnection(SERVER);
    private final RedisGateway gateway = connection.gateway;
    private final LockKeys keys = ScriptConnection.KEYS;
    private final String key = "late-renewal-" + UUID.randomUUID();

    /** A kind, and the keys by which its renewal names the lock beside the first. */
    enum Kind {
        PLAIN((gateway, key) -> new PlainProtocol(gateway, ScriptConnection.KEYS, 0, LockKind.REENTRANT)),
        FAIR((gateway, key) -> new PlainProtocol(gateway, ScriptConnection.KEYS, 0, LockKind.FAIR)),
        SEMAPHORE((gateway, key) -> new PlainProtocol(gateway, ScriptConnection.KEYS, 0, LockKind.SEMAPHORE)),
        FAIR_SEMAPHORE((gateway, key) -> new PlainProtocol(gateway, ScriptConnection.KEYS, 0, LockKind.FAIR_SEMAPHORE)),
        READ((gateway, key) -> new ReadWriteProtocol(gateway, ScriptConnection.KEYS, 0, LockKind.READ, true)),
        WRITE((gateway, key) -> new ReadWriteProtocol(gateway, ScriptConnection.KEYS, 0, LockKind.WRITE, true)),
        SEVERAL(
                (gateway, key) -> new MultiProtocol(List.of(key, key + "-b"), gateway, ScriptConnection.KEYS, 0),
                "%s-b");

        private final BiFunction<RedisGateway, String, LockProtocol> protocol;
        private final String[] more;

        Kind(BiFunction<RedisGateway, String, LockProtocol> protocol, String... more) {
            this.protocol = protocol;
            this.more = more;
        }

        List<String> renewed(String key) {
            return more.length == 0 ? List.of(key) : List.of(key, more[0].formatted(key));
        }
    }

    @AfterEach
    void close() {
        SERVER.cli().keys("*" + key + "*").forEach(SERVER.cli()::del);
        connection.close();
    }

    private Grant granted(LockProtocol protocol) {
        Answer answer =
                now(protocol.acquire(new AcquireRequest(key, key, OWNER, terms(LEASE), 1, 0, 0, Hearing.YES, null)));
        return ((Answer.Granted) answer).grant();
    }

    @ParameterizedTest
    @EnumSource
    void renewalBehindAReleaseDoesNotProlongAMinimumHold(Kind kind) {
        LockProtocol protocol = kind.protocol.apply(gateway, key);
        Grant grant = granted(protocol);
        assertThat(now(protocol.release(new ReleaseRequest(key, OWNER, MIN_HOLD, 0)))
                        .wasOwner())
                .isTrue();

        List<Object> renewals = gateway.run(protocol.renewal(), kind.renewed(key), protocol.renewal(grant, LEASE))
                .join();
        boolean extended = now(protocol.extend(grant, LEASE));

        assertThat(renewals).isNotEmpty().containsOnly(0L);
        assertThat(extended).isFalse();
        assertThat(SERVER.cli().keys("*" + key + "*"))
                .isNotEmpty()
                .allSatisfy(kept -> assertThat(SERVER.cli().pttl(kept)).as(kept).isBetween(1L, MIN_HOLD));
    }

    @ParameterizedTest
    @EnumSource
    void releaseThatIsRepeatedEndsNoMinimumHold(Kind kind) {
        LockProtocol protocol = kind.protocol.apply(gateway, key);
        granted(protocol);
        now(protocol.release(new ReleaseRequest(key, OWNER, MIN_HOLD, 0)));

        now(protocol.release(new ReleaseRequest(key, OWNER, MIN_HOLD - 1_000, 0)));

        assertThat(SERVER.cli().pttl(key)).isBetween(MIN_HOLD / 2, MIN_HOLD);
        assertThat(now(protocol.acquire(
                        new AcquireRequest(key, key, "b:1:1:0:1", terms(LEASE), 1, 0, 0, Hearing.YES, null))))
                .isInstanceOf(kind == Kind.READ ? Answer.Granted.class : Answer.Busy.class);
    }
}

package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.protocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.AcquireRequest.Hearing;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseRequest;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseResult;
import dev.holdfast.lock.internal.protocol.PlainProtocol;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The scripts of the fair lock: places, deadlines, and Redisson beside them. What each kind does is in {@link RepeatedScriptTest}. */
class FairScriptTest {

    private static final Duration LEASE = Duration.ofSeconds(20);

    private final RedisServer server = RedisServer.shared();
    private final FairQueue queue = new FairQueue(server);
    private final ScriptConnection connection = new ScriptConnection(server);
    private final RedisGateway gateway = connection.gateway;
    private final PlainProtocol protocol = new PlainProtocol(gateway, ScriptConnection.KEYS, 0, LockKind.FAIR);

    @AfterEach
    void close() {
        server.cli().del(queue.name(), queue.list(), queue.deadlines());
        connection.close();
    }

    private Answer ask(String owner, boolean waits) {
        return now(protocol.acquire(new AcquireRequest(
                queue.name(),
                queue.name(),
                owner,
                terms(LEASE.toMillis()),
                1,
                0,
                waits ? 5_000 : 0,
                Hearing.YES,
                null)));
    }

    private ReleaseResult release(String owner) {
        return now(protocol.release(new ReleaseRequest(queue.name(), owner, 0, 0)));
    }

    @Test
    void waiterThatAsksAfterItsDeadlineKeepsItsPlaceIfNobodyAskedBefore() {
        ask("a:1:1:3000", true);
        ask("late:1:1:3000", true);
        ask("b:1:1:3000", true);
        release("a:1:1:3000");
        server.cli().zadd(queue.deadlines(), 1, "late:1:1:3000");

        assertThat(ask("late:1:1:3000", true)).isInstanceOf(Answer.Granted.class);
        assertThat(queue.owners()).containsExactly("b:1:1:3000");
    }

    @Test
    void entryWithoutADeadlineIsDead() {
        queue.plant("dead:1:1:3000", Duration.ofMillis(-1));
        server.cli().rpush(queue.list(), "half:1:1:3000", "half:1:2:3000");

        assertThat(ask("a:1:1:3000", false)).isInstanceOf(Answer.Granted.class);
        assertThat(queue.isGone()).isTrue();
    }

    @Test
    void refusedAnswerSaysWhatTheHeadHasLeftWhereNobodyHoldsTheLock() {
        // A Redisson client's: its protocol rules.
        queue.plant("head:1", Duration.ofSeconds(3));

        assertThat(ask("a:1:1:3000", true)).isInstanceOfSatisfying(Answer.Busy.class, busy -> {
            assertThat(TimeUnit.NANOSECONDS.toMillis(busy.retryAfterNanos())).isBetween(1L, 3_000L);
            assertThat(busy.holder()).isNull();
        });
    }

    /** However far back: it may be first by the time that a Redisson client releases. */
    @Test
    void waiterListensToTheReleasesOfARedissonClientThatHasItsTurnBefore() {
        ask("a:1:1:3000", true);
        assertThat(listensToRedisson("b:1:1:3000")).isFalse();
        ask("uuid:1", true);

        assertThat(listensToRedisson("c:1:1:3000")).isTrue();
        assertThat(listensToRedisson("d:1:1:3000")).isTrue();
        assertThat(listensToRedisson("e:1:1:3000")).isTrue();
        assertThat(listensToRedisson("b:1:1:3000")).isFalse();
    }

    @Test
    void waiterListensToTheReleaseOfARedissonClientThatHoldsTheLock() {
        server.cli().hset(queue.name(), "uuid:1", "1");
        server.cli().pexpire(queue.name(), LEASE.toMillis());

        assertThat(listensToRedisson("a:1:1:3000")).isTrue();
    }

    private boolean listensToRedisson(String owner) {
        return ((Answer.Busy) ask(owner, true)).besideRedisson();
    }

    /** The deadline is the server's: nothing that is sent tells a client's time. */
    @Test
    void deadlineIsFiveSecondsOnTheServersClock() {
        ask("a:1:1:3000", true);
        ask("b:1:1:3000", true);
        ask("uuid:1", true);
        ask("c:1:1:3000", true);

        assertThat(queue.millisLeft("b:1:1:3000")).isBetween(4_000L, 5_000L);
        assertThat(queue.millisLeft("c:1:1:3000")).isBetween(304_000L, 305_000L);
    }

    @Test
    void holdWithoutAnEndIsCutToItsLease() {
        ask("a:1:1:3000", true);
        server.cli().persist(queue.name());

        assertThat(ask("b:1:1:3000", false)).isInstanceOf(Answer.Busy.class);

        assertThat(server.cli().pttl(queue.name())).isBetween(1L, LEASE.toMillis());
    }
}

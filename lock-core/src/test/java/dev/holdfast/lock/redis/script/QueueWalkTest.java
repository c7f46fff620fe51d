package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.protocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.AcquireRequest.Hearing;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseRequest;
import dev.holdfast.lock.internal.protocol.PlainProtocol;
import dev.holdfast.lock.internal.protocol.ReadWriteProtocol;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whom a release passes over, and whom it does not, in a queue where some clients do not hear messages. */
@Timeout(60)
class QueueWalkTest {

    private static final long LEASE_MILLIS = 20_000;

    private final RedisServer server = RedisServer.shared();
    private final FairQueue queue = new FairQueue(server, Waits.name("walk"));
    private final ScriptConnection connection = new ScriptConnection(server);
    private final List<WakeChannel> listeners = new ArrayList<>();

    @AfterEach
    void close() {
        listeners.forEach(WakeChannel::close);
        connection.close();
    }

    private LockProtocol of(LockKind kind) {
        return kind == LockKind.READ || kind == LockKind.WRITE
                ? new ReadWriteProtocol(connection.gateway, ScriptConnection.KEYS, 0, kind, true)
                : new PlainProtocol(connection.gateway, ScriptConnection.KEYS, 0, kind);
    }

    private Answer ask(LockKind kind, String owner, Hearing hearing) {
        return now(of(kind).acquire(new AcquireRequest(
                queue.name(), queue.name(), owner, terms(LEASE_MILLIS), 1, 0, 5_000, hearing, null)));
    }

    private void release(LockKind kind, String owner) {
        now(of(kind).release(new ReleaseRequest(queue.name(), owner, 0, 0)));
    }

    private String listening() {
        String client = UUID.randomUUID().toString();
        listeners.add(WakeChannel.of(server, client));
        return client;
    }

    private static String owner(String client, LockKind kind) {
        return client + ":1:1:3000" + (kind.isSemaphore() ? ":1" : "");
    }

    private boolean holds(String owner) {
        return server.cli().hexists(queue.name(), owner);
    }

    /** Its subscription is on its way, or is refused, or its connection for messages is down. */
    @ParameterizedTest
    @EnumSource(names = {"REENTRANT", "FAIR", "SEMAPHORE", "FAIR_SEMAPHORE"})
    void releaseGrantsToAFirstPlaceThatDoesNotHear(LockKind kind) {
        String holder = owner("holder", kind);
        String first = owner("first", kind);
        String second = owner(listening(), kind);
        ask(kind, holder, Hearing.YES);
        ask(kind, first, Hearing.NO);
        ask(kind, second, Hearing.YES);

        release(kind, holder);

        assertThat(holds(first)).isTrue();
        assertThat(ask(kind, first, Hearing.NO)).isInstanceOf(Answer.Granted.class);
        release(kind, first);
        assertThat(holds(second)).as("the one behind it").isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"REENTRANT", "FAIR", "SEMAPHORE", "FAIR_SEMAPHORE"})
    void placeWhoseClientHeardAndDoesNotListenAnyMoreIsPassedOver(LockKind kind) {
        String holder = owner("holder", kind);
        String first = owner("first", kind);
        String second = owner(listening(), kind);
        ask(kind, holder, Hearing.YES);
        ask(kind, first, Hearing.NO);
        ask(kind, first, Hearing.YES);
        ask(kind, second, Hearing.YES);

        release(kind, holder);

        assertThat(holds(second)).isTrue();
        assertThat(queue.owners()).containsExactly(first);
    }

    @Test
    void freeLockIsKeptForAFirstWriterThatDoesNotHear() {
        String second = owner(listening(), LockKind.WRITE);
        ask(LockKind.WRITE, "holder:1:1:3000", Hearing.YES);
        ask(LockKind.WRITE, "first:1:1:3000", Hearing.NO);
        ask(LockKind.WRITE, second, Hearing.YES);
        release(LockKind.WRITE, "holder:1:1:3000");

        assertThat(ask(LockKind.WRITE, second, Hearing.YES)).isInstanceOf(Answer.Busy.class);
        assertThat(ask(LockKind.WRITE, "first:1:1:3000", Hearing.NO)).isInstanceOf(Answer.Granted.class);
    }

    /** Without that, a writer that asks before its client hears would wait for those behind it. */
    @Test
    void writerThatIsFirstEntersAlthoughNobodyHearsIt() {
        ask(LockKind.WRITE, "holder:1:1:3000", Hearing.YES);
        ask(LockKind.WRITE, "first:1:1:3000", Hearing.YES);
        ask(LockKind.WRITE, owner(listening(), LockKind.WRITE), Hearing.YES);
        server.cli().del(queue.name());

        assertThat(ask(LockKind.WRITE, "first:1:1:3000", Hearing.YES)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void killedClientsCostNothingHoweverManyTheyAre() {
        String next = owner(listening(), LockKind.FAIR);
        ask(LockKind.FAIR, "holder:1:1:3000", Hearing.YES);
        for (int i = 0; i < 50; i++) {
            queue.plant(UUID.randomUUID() + ":1:1:3000", Duration.ofSeconds(5));
        }
        ask(LockKind.FAIR, next, Hearing.YES);

        release(LockKind.FAIR, "holder:1:1:3000");

        assertThat(holds(next)).isTrue();
    }

    /** A script looks at 64 places. The last in line is told, and each of its requests goes on for 64 more. */
    @ParameterizedTest
    @EnumSource(names = {"FAIR", "FAIR_SEMAPHORE"})
    void thousandPlacesOfADeadClientAreRemovedByAFewRequestsOnceItHasNotAskedForThreeSeconds(LockKind kind) {
        String client = listening();
        String next = owner(client, kind);
        ask(kind, owner("holder", kind), Hearing.YES);
        queue.plantAll(
                IntStream.range(0, 1_000)
                        .mapToObj(i -> owner("dead:1:" + i, kind))
                        .toList(),
                Duration.ofMillis(1_900));
        ask(kind, next, Hearing.YES);

        release(kind, owner("holder", kind));

        WakeChannel heard = listeners.get(listeners.size() - 1);
        Await.until("the last is told", Waits.LONG, () -> heard.heard().contains(next));
        int requests = 0;
        Answer answer = ask(kind, next, Hearing.YES);
        while (answer instanceof Answer.Busy busy) {
            assertThat(TimeUnit.NANOSECONDS.toMillis(busy.retryAfterNanos())).isEqualTo(1);
            assertThat(busy.nearHead()).isTrue();
            assertThat(++requests).isLessThan(20);
            answer = ask(kind, next, Hearing.YES);
        }
        assertThat(holds(next)).isTrue();
    }

    @Test
    void fairLockWaitsForPlacesThatMayComeBack() {
        queue.plantAll(
                IntStream.range(0, 100).mapToObj(i -> "deaf:1:" + i + ":3000").toList(), Duration.ofSeconds(5));

        Answer.Busy busy = (Answer.Busy) ask(LockKind.FAIR, "asker:1:1:3000", Hearing.YES);

        assertThat(TimeUnit.NANOSECONDS.toMillis(busy.retryAfterNanos())).isBetween(2_000L, 3_000L);
        assertThat(queue.owners()).hasSize(101);
    }

    /** It waits for tens of thousands of locks, so it asks seldom. */
    @Test
    void placeOfAPatientClientIsNotCutToTheTimeOfAnother() {
        ask(LockKind.FAIR, "holder:1:1:3000", Hearing.YES);
        queue.plant("patient:1:1:3000", Duration.ofSeconds(16));

        ask(LockKind.FAIR, "other:1:1:3000", Hearing.YES);
        ask(LockKind.FAIR, "other:1:1:3000", Hearing.YES);

        assertThat(queue.millisLeft("patient:1:1:3000")).isGreaterThan(14_000);
    }

    @Test
    void longQueueBesideRedissonTakesItsFarthestDeadline() {
        ask(LockKind.FAIR, "holder:1:1:3000", Hearing.YES);
        for (int i = 0; i < 100; i++) {
            queue.plant("ours:1:" + i + ":3000", Duration.ofSeconds(5));
        }
        queue.plant("redisson:1", Duration.ofSeconds(300));

        ask(LockKind.FAIR, "other:1:1:3000", Hearing.YES);

        assertThat(queue.millisLeft("other:1:1:3000")).isGreaterThan(290_000);
    }
}

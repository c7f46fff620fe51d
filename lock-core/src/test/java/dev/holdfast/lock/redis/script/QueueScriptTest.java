package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.OwnerId;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.redis.script.ScriptedLock.Kind;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whom a script serves in a queue: who is granted the lock, who is told, who is passed over. */
@Timeout(Await.TEST_SECONDS)
class QueueScriptTest {

    private static final RedisServer SERVER = RedisServer.shared();
    private static final long FIRST_LEASE = 3_000;
    private static final String HOLDER = place("holder");

    /** What clients send, also one that connects just now. */
    private static final List<String> NOT_CALLED =
            List.of("evalsha", "eval", "hello", "client|setinfo", "config|resetstat", "info", "subscribe");

    @AutoClose
    private ScriptedLock lock = new ScriptedLock(SERVER, Kind.PLAIN);

    private void free(Kind kind) {
        lock.close();
        lock = new ScriptedLock(SERVER, kind);
    }

    private void held(Kind kind) {
        free(kind);
        lock.granted(HOLDER, 20_000);
    }

    /** The place of a client that does not listen. A semaphore has one permit. */
    private static String place(String client) {
        return client + ":1:1:" + FIRST_LEASE + ":1";
    }

    private static String place() {
        return place(UUID.randomUUID().toString());
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN", "FAIR", "SEMAPHORE", "FAIR_SEMAPHORE"})
    void releaseGrantsToTheFirstThatListensAndTellsNobodyElse(Kind kind) {
        held(kind);
        String deaf = place();
        String first = place();
        String second = place();
        WakeChannel heardByFirst = lock.listening(first);
        WakeChannel heardBySecond = lock.listening(second);
        lock.waitsDeaf(deaf);
        lock.waits(deaf);
        lock.waits(first);
        Answer.Busy refused = (Answer.Busy) lock.waits(second);
        assertThat(lock.release(HOLDER, 0).wasOwner()).isTrue();
        heardByFirst.awaitHeard(first + " " + lock.token(first));
        assertThat(Long.parseLong(lock.token(first)) / 1024).isGreaterThan(refused.lastDrawn());
        assertThat(lock.isHeldBy(first)).isTrue();
        assertThat(SERVER.cli().pttl(lock.queue.name())).isBetween(1L, FIRST_LEASE);
        assertThat(lock.queue.owners()).containsExactly(deaf, second);
        assertThat(heardBySecond.heard()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN", "FAIR", "SEMAPHORE", "FAIR_SEMAPHORE"})
    void requestForAFreeLockGrantsToTheFirstThatListensAndEntersTheQueue(Kind kind) {
        free(kind);
        String first = place();
        WakeChannel heard = lock.listening(first);
        lock.queue.plant(place(), Duration.ofSeconds(5));
        lock.queue.plant(first, Duration.ofSeconds(5));
        assertThat(lock.waits(HOLDER)).isInstanceOf(Answer.Busy.class);
        assertThat(lock.queue.owners()).hasSize(2).endsWith(HOLDER);
        heard.awaitHeard(first + " " + lock.token(first));
    }

    /** The release looks for a queue only if the hold says that there is one. */
    @Test
    void requestPassesPlacesThatDoNotListenAndItsReleaseServesThem() {
        String passedOver = place();
        for (int i = 0; i < 40; i++) {
            lock.queue.plant(i == 30 ? passedOver : place(), Duration.ofSeconds(20));
        }
        assertThat(lock.waits(HOLDER)).isInstanceOf(Grant.class);
        assertThat(lock.queue.owners()).hasSize(40);
        WakeChannel heard = lock.listening(passedOver);
        lock.release(HOLDER, 0);
        heard.awaitHeard(passedOver + " " + lock.token(passedOver));
    }

    @Test
    void placeThatNamesNoLeaseIsGrantedTheUsualOne() {
        held(Kind.PLAIN);
        String place = UUID.randomUUID() + ":1:1";
        WakeChannel heard = lock.listening(place);
        lock.waits(place);
        lock.release(HOLDER, 0);
        heard.awaitHeard(place + " " + lock.token(place));
        assertThat(SERVER.cli().hget(lock.queue.name(), "holdfast:lease"))
                .isEqualTo(Long.toString(OwnerId.USUAL_FIRST_LEASE_MILLIS));
    }

    /** It may be refused because of another lock that it needs, too. So the next one is told as well. */
    @Test
    void placeThatMustAskIsToldAndLeavesTheFreeLockToTheNextOne() {
        held(Kind.PLAIN);
        String leaving = UUID.randomUUID() + ":1:1:0";
        String next = place();
        WakeChannel heard = lock.listening(leaving);
        WakeChannel heardByNext = lock.listening(next);
        lock.waits(leaving);
        lock.waits(next);
        lock.release(HOLDER, 0);
        assertThat(lock.namesHeld()).isZero();
        heard.awaitHeard(leaving);
        assertThat(lock.release(leaving, 0).wasOwner()).isFalse();
        heardByNext.awaitHeard(next, next + " " + lock.token(next));
        assertThat(lock.queue.isGone()).isTrue();
    }

    /** Nobody may pass it, and it may need another lock, too. */
    @ParameterizedTest
    @EnumSource(names = {"FAIR", "FAIR_SEMAPHORE"})
    void freeFairLockIsKeptForAFirstPlaceThatMustAsk(Kind kind) {
        held(kind);
        String first = UUID.randomUUID() + ":1:1:0:1";
        String second = place();
        WakeChannel heard = lock.listening(first);
        lock.listening(second);
        lock.waits(first);
        lock.waits(second);
        lock.release(HOLDER, 0);
        heard.awaitHeard(first);
        assertThat(lock.waits(second)).isInstanceOf(Answer.Busy.class);
        assertThat(lock.acquire(HOLDER, FIRST_LEASE)).isInstanceOf(Answer.Busy.class);
        assertThat(lock.waits(first)).isInstanceOf(Grant.class);
    }

    /** The bound beside Redisson: of four releases that its clients hear, one leaves the lock to them. */
    @Test
    void everyFourthReleaseLeavesTheLockFreeIfRedissonListens() {
        held(Kind.PLAIN);
        WakeChannel redisson = lock.listening(WakeChannel.ofRedisson(SERVER, lock.queue.name()));
        List<String> places = new ArrayList<>(List.of(HOLDER));
        for (int i = 0; i < 5; i++) {
            String place = place();
            lock.listening(place);
            places.add(place);
            lock.waits(place);
        }
        for (int i = 0; i < 4; i++) {
            assertThat(lock.isHeldBy(places.get(i))).isTrue();
            lock.release(places.get(i), 0);
        }
        assertThat(lock.namesHeld()).as("left free").isZero();
        assertThat(lock.queue.owners()).containsExactlyElementsOf(places.subList(4, 6));
        redisson.awaitHeard("0", "0", "0", "0");
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN", "SEVERAL", "READ", "WRITE"})
    void lockThatIsLeftToRedissonIsTakenByATryAndNotByAWaiter(Kind kind) {
        free(kind);
        Await.until("a request came in time", TwoClients.PATIENCE, () -> {
            lock.queue.leaveToRedisson();
            boolean stoodBack = lock.waits(HOLDER) instanceof Answer.Busy;
            lock.release(HOLDER, 0);
            return stoodBack;
        });
        lock.queue.leaveToRedisson();
        lock.granted(HOLDER, 20_000);
    }

    /** No end that a release sets is that far away: the server's clock was set back. */
    @Test
    void lockIsLeftToRedissonForAMomentOnly() {
        SERVER.cli().zadd(lock.queue.deadlines(), lock.queue.now() + 60_000, "redisson");
        assertThat(lock.waits(HOLDER)).isInstanceOf(Grant.class);
        assertThat(lock.queue.isGone()).isTrue();
    }

    @Test
    void freeLockIsKeptForAFirstWriterThatDoesNotHear() {
        held(Kind.WRITE);
        String first = place();
        String second = place();
        lock.listening(second);
        lock.waitsDeaf(first);
        lock.waits(second);
        lock.release(HOLDER, 0);
        assertThat(lock.waits(second)).isInstanceOf(Answer.Busy.class);
        assertThat(lock.waitsDeaf(first)).isInstanceOf(Grant.class);
    }

    /** Without that, a writer that asks before its client hears would wait for those behind it. */
    @Test
    void writerThatIsFirstEntersAlthoughNobodyHearsIt() {
        held(Kind.WRITE);
        String first = place();
        String second = place();
        lock.listening(second);
        lock.waits(first);
        lock.waits(second);
        SERVER.cli().del(lock.queue.name());
        assertThat(lock.waits(first)).isInstanceOf(Grant.class);
    }

    /** A holder that was granted the lock by a release releases it and asks again, behind others. */
    @Test
    void turnOfABusyLockTakesTheseCommands() {
        try (RedisServer own = RedisServer.start();
                WakeChannel first = WakeChannel.of(own, "first");
                WakeChannel second = WakeChannel.of(own, "second");
                ScriptConnection connection = new ScriptConnection(own)) {
            LockProtocol plain = ScriptConnection.protocol(LockKind.REENTRANT, connection.gateway);
            String next = "second:1:1:60000";
            for (String owner : List.of("holder:1:1:60000", "first:1:1:60000", next)) {
                now(plain.acquire(request(owner)));
            }
            now(plain.release("turns", "holder:1:1:60000", 0, 0));
            Map<String, Long> release = inner(own, () -> now(plain.release("turns", "first:1:1:60000", 0, 0)));
            Map<String, Long> refusal = inner(own, () -> now(plain.acquire(request("first:1:2:60000"))));
            assertThat(own.cli().hget("turns", next)).as("granted").isEqualTo("1");
            assertThat(release)
                    .isEqualTo(Map.ofEntries(
                            Map.entry("hmget", 1L),
                            Map.entry("del", 1L),
                            Map.entry("publish", 2L),
                            Map.entry("lrange", 1L),
                            Map.entry("time", 1L),
                            Map.entry("zscore", 1L),
                            Map.entry("pubsub|numsub", 1L),
                            Map.entry("getset", 1L),
                            Map.entry("hset", 1L),
                            Map.entry("pexpire", 1L),
                            Map.entry("zrem", 1L),
                            Map.entry("lrem", 1L)));
            assertThat(refusal)
                    .isEqualTo(Map.of(
                            "exists", 1L, "pttl", 1L, "hgetall", 1L, "get", 1L, "time", 1L, "zadd", 1L, "pexpire", 2L,
                            "rpush", 1L, "zrange", 1L));
        }
    }

    private static AcquireRequest request(String owner) {
        return new AcquireRequest("turns", "turns", owner, terms(60_000), 1, 0, 60_000, true, null);
    }

    /** The commands that a script calls. The server counts them under their own names. */
    private static Map<String, Long> inner(RedisServer own, Runnable script) {
        own.resetStats();
        script.run();
        Map<String, Long> calls = new HashMap<>(own.commandStats());
        calls.keySet().removeAll(NOT_CALLED);
        return calls;
    }
}

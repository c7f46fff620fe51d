package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.redis.script.ScriptedLock.Kind;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How long the places of a queue live, also beside those of Redisson's clients, and how the dead ones go. */
@Timeout(Await.TEST_SECONDS)
class QueueDeadlinesTest {

    private static final RedisServer SERVER = RedisServer.shared();
    private static final long LEASE = 20_000;
    private static final String HOLDER = place("holder", 1);

    @AutoClose
    private ScriptedLock lock = new ScriptedLock(SERVER, Kind.FAIR);

    private static String place(String client, int grant) {
        return client + ":1:" + grant + ":3000:1";
    }

    private static List<String> places(String client, int count) {
        return IntStream.range(0, count).mapToObj(i -> place(client, i)).toList();
    }

    /** Returns a place of each of so many clients. */
    private static List<String> places(int clients) {
        return IntStream.range(0, clients).mapToObj(i -> place("gone" + i, 1)).toList();
    }

    private Answer.Busy refused(String owner) {
        return (Answer.Busy) lock.waits(owner);
    }

    private static long retryMillis(Answer.Busy busy) {
        return TimeUnit.NANOSECONDS.toMillis(busy.retryAfterNanos());
    }

    /** The deadline is the server's: nothing that is sent tells a client's time. */
    @Test
    void deadlineIsFiveSecondsOnTheServersClockAndLaterBehindARedissonClient() {
        lock.granted(HOLDER, LEASE);
        refused("b:1:1:3000");
        refused("uuid:1");
        refused("c:1:1:3000");
        assertThat(lock.queue.millisLeft("b:1:1:3000")).isBetween(4_000L, 5_000L);
        assertThat(lock.queue.millisLeft("c:1:1:3000")).isBetween(304_000L, 305_000L);
    }

    @Test
    void longQueueBesideRedissonTakesItsFarthestDeadline() {
        lock.granted(HOLDER, LEASE);
        lock.queue.plantAll(places("ours", 100), Duration.ofSeconds(5));
        lock.queue.plant("redisson:1", Duration.ofSeconds(300));
        refused("other:1:1:3000");
        assertThat(lock.queue.millisLeft("other:1:1:3000")).isGreaterThan(290_000);
    }

    /** They were behind waiters of Redisson, which have gone since. */
    @Test
    void deadlinesThatReachTooFarAreCut() {
        lock.granted(HOLDER, LEASE);
        lock.queue.plant("dead:1:1:0", Duration.ofMinutes(10));
        lock.queue.plant("dead:1:2:0", Duration.ofMinutes(5));
        refused("asker:1:1:3000");
        assertThat(lock.queue.owners()).hasSize(3).allMatch(place -> lock.queue.millisLeft(place) <= 5_000);
    }

    /** It waits for a hundred thousand locks, so it asks seldom. */
    @Test
    void placeOfAPatientClientIsNotCutToTheTimeOfAnother() {
        lock.granted(HOLDER, LEASE);
        lock.queue.plant("patient:1:1:3000", Duration.ofSeconds(40));
        refused("other:1:1:3000");
        refused("other:1:1:3000");
        assertThat(lock.queue.millisLeft("patient:1:1:3000")).isGreaterThan(38_000);
    }

    @Test
    void waiterThatAsksAfterItsDeadlineKeepsItsPlaceIfNobodyAskedBefore() {
        lock.granted(HOLDER, LEASE);
        refused("late:1:1:3000");
        refused("b:1:1:3000");
        lock.release(HOLDER, 0);
        SERVER.cli().zadd(lock.queue.deadlines(), 1, "late:1:1:3000");
        lock.granted("late:1:1:3000", LEASE);
        assertThat(lock.queue.owners()).containsExactly("b:1:1:3000");
    }

    @Test
    void placeWithoutADeadlineIsDead() {
        lock.queue.plant("dead:1:1:3000", Duration.ofMillis(-1));
        SERVER.cli().rpush(lock.queue.list(), "half:1:1:3000", "half:1:2:3000");
        lock.granted(HOLDER, LEASE);
        assertThat(lock.queue.isGone()).isTrue();
    }

    /** Clients ask every 2.5 s, and each request sets the deadline to 5 s. */
    @Test
    void placeOfAClientThatDoesNotListenIsDeadTwoSecondsBeforeItsDeadline() {
        lock.queue.plant(place("dead", 1), Duration.ofMillis(1_500));
        lock.queue.plant(place("silent", 1), Duration.ofMillis(3_500));
        lock.granted(HOLDER, LEASE);
        assertThat(lock.queue.owners()).containsExactly(place("silent", 1));
    }

    /** For so many ms after its request, a place that says so is granted the lock although its client does not listen: it asks again in that time. */
    @ParameterizedTest
    @CsvSource({"0.5, 1000", "0.75, 5000"})
    void clientThatSaysThatItDoesNotListenYetIsGrantedTheLockIfItHasJustAsked(double sign, int millis) {
        Await.until("a release came in time", TwoClients.PATIENCE, () -> isGrantedAfter(millis * 3 / 5, sign));
        assertThat(isGrantedAfter(millis + 100, sign)).isFalse();
    }

    private boolean isGrantedAfter(int millis, double sign) {
        String asked = place("asked", 1);
        lock.granted(HOLDER, LEASE);
        lock.queue.plant(asked, Duration.ofSeconds(5));
        SERVER.cli().zadd(lock.queue.deadlines(), lock.queue.now() + 5_000 - millis + sign, asked);
        lock.release(HOLDER, 0);
        boolean isGranted = lock.isHeldBy(asked);
        SERVER.cli().del(lock.queue.name(), lock.queue.list(), lock.queue.deadlines());
        return isGranted;
    }

    /** Two for each that enters. */
    @Test
    void deadPlacesBehindALivingHeadGoAsOthersEnter() {
        lock.granted(HOLDER, LEASE);
        refused("head:1:1:3000");
        lock.queue.plantAll(places("dead", 6), Duration.ofMillis(-1));
        places("living", 3).forEach(this::refused);
        assertThat(lock.queue.owners()).hasSize(4).startsWith("head:1:1:3000");
        assertThat(SERVER.cli().zcard(lock.queue.deadlines())).isEqualTo(4);
    }

    /** A script looks at 64 places. The last in the queue is told, and each of its requests goes on for 64 more. */
    @ParameterizedTest
    @EnumSource(names = {"FAIR", "FAIR_SEMAPHORE"})
    void placesOfAThousandDeadClientsAreRemovedByAFewRequestsOnceTheyHaveNotAskedForThreeSeconds(Kind kind) {
        lock.close();
        lock = new ScriptedLock(SERVER, kind);
        String next = place(UUID.randomUUID().toString(), 1);
        WakeChannel heard = lock.listening(next);
        lock.granted(HOLDER, LEASE);
        lock.queue.plantAll(places(1_000), Duration.ofMillis(1_900));
        refused(next);
        lock.release(HOLDER, 0);
        heard.awaitHeard(next);
        int requests = 0;
        while (lock.waits(next) instanceof Answer.Busy busy) {
            assertThat(retryMillis(busy)).isEqualTo(1);
            assertThat(busy.nearHead()).isTrue();
            assertThat(++requests).isLessThan(20);
        }
        assertThat(lock.isHeldBy(next)).isTrue();
    }

    /** More than 64 of them. */
    @Test
    void fairLockWaitsForPlacesThatMayComeBack() {
        lock.queue.plantAll(places(100), Duration.ofSeconds(5));
        assertThat(retryMillis(refused(HOLDER))).isBetween(2_000L, 3_000L);
        assertThat(lock.queue.owners()).hasSize(101);
    }

    @Test
    void freeLockIsWaitedForUntilTheDeadlineOfARedissonClientThatIsFirst() {
        lock.queue.plant("head:1", Duration.ofSeconds(3));
        Answer.Busy busy = refused(HOLDER);
        assertThat(retryMillis(busy)).isBetween(1L, 3_000L);
        assertThat(busy.holder()).isNull();
    }

    /** However far back: it may be first by the time that a Redisson client releases. */
    @Test
    void waiterListensToTheReleasesOfARedissonClientThatHasItsTurnBefore() {
        lock.granted(HOLDER, LEASE);
        assertThat(refused("b:1:1:3000").besideRedisson()).isFalse();
        refused("uuid:1");
        for (String behind : List.of("c:1:1:3000", "d:1:1:3000", "e:1:1:3000")) {
            assertThat(refused(behind).besideRedisson()).isTrue();
        }
        assertThat(refused("b:1:1:3000").besideRedisson()).isFalse();
    }

    @Test
    void waiterListensToTheReleaseOfARedissonClientThatHoldsTheLock() {
        SERVER.cli().hset(lock.queue.name(), "uuid:1", "1");
        SERVER.cli().pexpire(lock.queue.name(), LEASE);
        assertThat(refused(HOLDER).besideRedisson()).isTrue();
    }
}

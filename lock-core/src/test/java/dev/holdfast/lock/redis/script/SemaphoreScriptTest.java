package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.redis.script.ScriptedLock.Kind;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A semaphore's scripts, met by different numbers of permits, and by clocks. What each kind does is in {@link RepeatedScriptTest}. */
@Timeout(Await.TEST_SECONDS)
class SemaphoreScriptTest {

    private static final long LEASE = 20_000;
    private static final RedisServer SERVER = RedisServer.shared();

    @AutoClose
    private final ScriptedLock lock = new ScriptedLock(SERVER, Kind.SEMAPHORE);

    /** An owner for whom there are so many permits. */
    private static String owner(String client, int permits) {
        return client + ":1:1:3000:" + permits;
    }

    /** One whose client listens. */
    private String listening(int permits) {
        String owner = owner(UUID.randomUUID().toString(), permits);
        lock.listening(owner);
        return owner;
    }

    private Grant granted(String owner) {
        return lock.granted(owner, LEASE);
    }

    private Answer.Busy refused(String owner) {
        Answer answer = lock.acquire(owner, LEASE);
        assertThat(answer).as(owner).isInstanceOf(Answer.Busy.class);
        return (Answer.Busy) answer;
    }

    private List<String> holders() {
        return SERVER.cli().hkeys(lock.queue.name()).stream()
                .filter(field -> !field.startsWith("holdfast:"))
                .sorted()
                .toList();
    }

    /** The ms that a permit has left. */
    private long left(String owner) {
        return Long.parseLong(SERVER.cli().hget(lock.queue.name(), owner).split(":")[0]) - lock.queue.now();
    }

    private void awaitEnd(String owner) {
        Await.until("the lease's end", Waits.LONG, () -> left(owner) <= 0);
    }

    /** The number that was drawn for the tokens of a permit. */
    private long drawn(String owner) {
        return Long.parseLong(lock.token(owner)) / 1024;
    }

    @Test
    void endedPermitIsNotRenewed() {
        granted(owner("other", 2));
        Grant ended = lock.granted(owner("a", 2), 100);
        awaitEnd(owner("a", 2));
        assertThat(lock.extend(ended, 5_000)).isFalse();
    }

    @Test
    void renewalLengthensOnePermitAndTheKey() {
        Grant a = lock.granted(owner("a", 2), 1_000);
        lock.granted(owner("b", 2), 1_000);
        assertThat(lock.extend(a, LEASE)).isTrue();
        assertThat(lock.extend(a, 1_000)).isTrue();
        assertThat(left(owner("a", 2))).isBetween(LEASE - 5_000, LEASE);
        assertThat(left(owner("b", 2))).isLessThanOrEqualTo(1_000);
        assertThat(SERVER.cli().pttl(lock.queue.name())).isBetween(LEASE - 5_000, LEASE);
    }

    @Test
    void callersWithALargerNumberWaitBehindTheOneWithTheSmaller() {
        String small = listening(1);
        granted(owner("a", 3));
        lock.waits(small);
        refused(owner("large", 3));
        lock.release(owner("a", 3), 0);
        assertThat(holders()).containsExactly(small);
    }

    /** If the waiter is dead, the permit is of use again then, and not at the end of a holder's lease. */
    @Test
    void callerBehindTheOneWhoseTurnItIsAsksAgainWhenThatPlaceEnds() {
        String small = listening(1);
        granted(owner("a", 3));
        lock.waits(small);
        assertThat(refused(owner("large", 3)).retryAfterNanos())
                .isLessThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(ScriptedLock.PLACE_MILLIS));
    }

    /** After a failover, the server may not know the numbers that the master before has drawn. */
    @Test
    void releaseGrantsATokenAboveAllThatItsClientHasSeen() {
        String waiter = listening(1);
        granted(owner("a", 1));
        lock.waits(waiter);
        long seen = drawn(owner("a", 1)) + TimeUnit.HOURS.toMicros(1);
        lock.release(owner("a", 1), 0, seen);
        assertThat(drawn(waiter)).isGreaterThan(seen);
    }

    @Test
    void waiterThatLeavesLetsThoseBehindItIn() {
        String small = listening(1);
        String large = listening(3);
        granted(owner("a", 3));
        lock.waits(small);
        lock.waits(large);
        assertThat(lock.release(small, 0).wasOwner()).isFalse();
        assertThat(holders()).containsExactlyInAnyOrder(owner("a", 3), large);
        assertThat(lock.queue.isGone()).isTrue();
    }

    @Test
    void forcedReleaseGrantsAllPermitsAtOnce() {
        String client = UUID.randomUUID().toString();
        WakeChannel heard = lock.listening(owner(client, 2));
        granted(owner("a", 2));
        granted(owner("b", 2));
        List<String> places = List.of(client + ":1:0:3000:2", client + ":1:1:3000:2", client + ":1:2:3000:2");
        places.forEach(lock::waits);
        try (LockClient operator = Waits.client(SERVER).build()) {
            assertThat(operator.forceRelease(lock.queue.name())).isTrue();
        }
        assertThat(holders()).isEqualTo(places.subList(0, 2));
        Await.until("both messages", Waits.LONG, () -> heard.heard().size() == 2);
    }

    @Test
    void permitsOfTheDeadAreFreeAgainAfterTheServersClockWasSetBack() {
        granted(owner("a", 1));
        setClockBackAnHour(owner("a", 1));
        refused(owner("b", 1));
        assertThat(left(owner("a", 1))).isBetween(1L, LEASE);
        assertThat(SERVER.cli().pttl(lock.queue.name())).isBetween(1L, LEASE);
    }

    /** The ends in Redis are ahead then, as they were written before. */
    private void setClockBackAnHour(String only) {
        String[] permit = SERVER.cli().hget(lock.queue.name(), only).split(":");
        long ends = Long.parseLong(permit[0]) + Duration.ofHours(1).toMillis();
        SERVER.cli().hset(lock.queue.name(), only, ends + ":" + permit[1] + ":" + permit[2]);
        SERVER.cli().hset(lock.queue.name(), "holdfast:end", Long.toString(ends));
        SERVER.cli().pexpire(lock.queue.name(), Duration.ofHours(1).toMillis());
    }

    @Test
    void waiterGetsThePermitOfADeadHolderBesideALivingOne() {
        String brief = owner("brief", 2);
        String waiter = listening(2);
        granted(owner("a", 2));
        lock.granted(brief, 100);
        lock.queue.plant(waiter, Duration.ofSeconds(20));
        awaitEnd(brief);
        assertThat(lock.waits(waiter)).isInstanceOf(Grant.class);
    }

    /** Otherwise, an end that is an hour ahead would pass for the end of that lease. */
    @Test
    void leaseThatWasReleasedDoesNotCountWhenTheServersClockWasSetBack() {
        String brief = owner("brief", 3);
        granted(owner("a", 3));
        lock.release(lock.granted(owner("long", 3), TimeUnit.HOURS.toMillis(2)).owner(), 0);
        lock.granted(brief, 100);
        awaitEnd(brief);
        refused(owner("b", 1));
        setClockBackAnHour(owner("a", 3));
        refused(owner("b", 1));
        assertThat(left(owner("a", 3))).isBetween(1L, LEASE);
    }

    @Test
    void numberThatAPermitCannotBeOfIsRefusedBeforeAnythingIsWritten() {
        for (String owner : List.of("a", "a:1:1:3000:0", "a:1:1:3000:x")) {
            assertThatThrownBy(() -> lock.waits(owner)).hasMessageContaining("out of bounds");
        }
        assertThatThrownBy(() -> lock.acquire(owner("a", 1), 5)).hasMessageContaining("out of bounds");
        assertThat(lock.state()).isEmpty();
    }

    @Test
    void costOfAnAcquisitionDoesNotGrowWithThePermitsHeld() {
        try (RedisServer own = RedisServer.start()) {
            assertThat(commandsWith(500, own)).isEqualTo(commandsWith(2, own));
        }
    }

    @Test
    void refusalDoesNotVisitThePermitsUnlessOneMayHaveEnded() {
        try (RedisServer own = RedisServer.start();
                ScriptedLock full = new ScriptedLock(own, Kind.SEMAPHORE)) {
            full.granted(owner("a", 2), LEASE);
            full.granted(owner("b", 2), LEASE);
            own.resetStats();
            assertThat(full.waits(owner("c", 2))).isInstanceOf(Answer.Busy.class);
            assertThat(own.commandStats()).containsKey("hlen").doesNotContainKey("hgetall");
        }
    }

    private static Map<String, Long> commandsWith(int held, RedisServer own) {
        try (ScriptedLock lock = new ScriptedLock(own, Kind.SEMAPHORE)) {
            for (int i = 0; i < held; i++) {
                lock.granted("a:1:" + i + ":3000:10000", LEASE);
            }
            lock.release(owner("nobody", 10_000), 0);
            own.resetStats();
            lock.granted(owner("b", 10_000), LEASE);
            lock.release(owner("b", 10_000), 0);
            Map<String, Long> calls = new HashMap<>(own.commandStats());
            calls.keySet().removeAll(List.of("hello", "client|setinfo", "config|resetstat"));
            return calls;
        }
    }
}

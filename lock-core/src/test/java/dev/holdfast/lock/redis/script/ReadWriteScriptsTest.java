package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.redis.script.ScriptedLock.Kind;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.SetArgs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The read/write scripts on states that a client alone does not easily bring about: sent late, met by the dead, and beside Redisson. What they have in
 * common with those of other kinds is in {@link RepeatedScriptTest}.
 */
@Timeout(Await.TEST_SECONDS)
class ReadWriteScriptsTest {

    private static final RedisServer SERVER = RedisServer.shared();
    private static final String DEAD = "dead:7:7";

    /** The read lock. What excludes it is the write lock. */
    @AutoClose
    private final ScriptedLock lock = new ScriptedLock(SERVER, Kind.READ);

    private final String key = lock.queue.name();

    private Answer read(String owner, long leaseMillis) {
        return lock.acquire(owner, leaseMillis);
    }

    private Answer write(String owner, long leaseMillis) {
        return lock.acquireExcluding(owner, leaseMillis);
    }

    private boolean releaseRead(String owner) {
        return lock.release(owner, 0).wasOwner();
    }

    private boolean releaseWrite(String owner) {
        return lock.releaseExcluding(owner).wasOwner();
    }

    private Map<String, String> state() {
        return SERVER.cli().hgetall(key);
    }

    private long pttl() {
        return SERVER.cli().pttl(key);
    }

    private String hold(String field) {
        return hold(field, 1);
    }

    /** Redisson has one for each re-entry of a reader. */
    private String hold(String field, int number) {
        return "{" + key + "}:" + field + ":rwlock_timeout:" + number;
    }

    /** Each of these scripts looked at as many keys as the count says, and Redis answered nobody else meanwhile. */
    @ParameterizedTest
    @ValueSource(strings = {"write", "inspect", "release", "force"})
    void countThatAnotherProgramHasWrittenDoesNotKeepRedisBusy(String script) {
        read("reader:1:1", 20_000);
        SERVER.cli().hset(key, "r1:1", "9007199254740991");
        SERVER.cli().del(hold("reader:1:1"));

        try (LockClient client = Waits.client(SERVER).build()) {
            Object answer = switch (script) {
                case "write" -> write("writer:2:2", 1_000);
                case "inspect" -> client.inspect(key);
                case "release" -> releaseRead("reader:1:1");
                default -> client.forceRelease(key);
            };
            assertThat(answer).isNotNull();
        }
    }

    @Test
    void writerThatReadsAsWellGoesOnAsAReaderOnce() {
        write("a:1:1", 5_000);
        lock.acquireBeside("a:1:1", "a:1:2", 5_000);
        Map<String, String> both = state();
        assertThat(lock.acquireBeside("a:1:1", "a:1:2", 5_000)).isInstanceOf(Grant.class);
        assertThat(state()).isEqualTo(both);

        assertThat(releaseWrite("a:1:1")).isTrue();
        Map<String, String> once = state();
        assertThat(releaseWrite("a:1:1")).isFalse();

        assertThat(state()).isEqualTo(once).containsEntry("mode", "read").containsOnlyKeys("mode", "a:1:2");
    }

    /** The text of a hold begins with its longest lease, which limits its time to live if the server's clock is set back. */
    @Test
    void repeatedRequestForALongerLeaseWritesThat() {
        read("a:1:1", 1_000);
        read("a:1:1", 20_000);

        assertThat(SERVER.cli().get(hold("a:1:1"))).startsWith("20000:");
    }

    @Test
    void readerThatLeavesAWriterDoesNotShortenItsLease() {
        write("a:1:1", 20_000);
        lock.acquireBeside("a:1:1", "a:1:2", 1_000);

        releaseRead("a:1:2");

        assertThat(pttl()).isGreaterThan(15_000);
        assertThat(state()).containsEntry("mode", "write");
    }

    @Test
    void renewalsOfOneCommandAreAnsweredEachOnItsOwn() {
        Grant over = lock.granted("a:1:1", 30_000);
        Grant kept = lock.granted("b:1:1", 30_000);
        String token = Long.toString(kept.firstToken());
        SERVER.cli().del(hold("a:1:1"));
        SERVER.cli().set(key + "-text", "of another type");

        assertThat(lock.renew(
                        List.of(key + "-text", key, key, key + "-none"),
                        List.of("x", "5000", "1", "a:1:1", "5000", "1", "b:1:1", "5000", token, "y", "5000", "1")))
                .containsExactly(0L, 0L, 1L, 0L);
        assertThat(lock.extend(over, 30_000)).isFalse();
    }

    // The dead

    /** A reader whose own time is over, in a lock that another reader keeps alive. */
    private void readerDies() {
        read(DEAD, 60_000);
        SERVER.cli().del(hold(DEAD));
    }

    @Test
    void deadReaderIsInNoWritersWayThoughItsLockLivesOn() {
        readerDies();
        assertThat(pttl()).isGreaterThan(30_000);

        assertThat(write("a:1:1", 5_000)).isInstanceOf(Grant.class);

        assertThat(state()).containsOnlyKeys("mode", "a:1:1:write");
        assertThat(pttl()).isLessThanOrEqualTo(5_000);
    }

    @Test
    void lastLivingReaderFreesTheLockPastTheDead() {
        readerDies();
        read("b:1:1", 60_000);

        assertThat(releaseRead("b:1:1")).isTrue();

        assertThat(state()).isEmpty();
    }

    /** Returns the readers as a script visits them. */
    private List<String> readersInOrder() {
        List<String> readers = new ArrayList<>();
        ScanIterator.hscan(SERVER.cli(), key).forEachRemaining(field -> readers.add(field.getKey()));
        readers.remove("mode");
        return readers;
    }

    /** One living reader is enough for a release among many. The lock must not end with the readers that it has visited. */
    @Test
    void releaseAmongManyReadersDoesNotShortenTheLeaseOfOneThatItDoesNotVisit() {
        List<Grant> readers = IntStream.range(0, 1_000)
                .mapToObj(i -> lock.granted("r" + i + ":1:1", 60_000))
                .toList();
        List<String> visited = readersInOrder();
        Grant last = readers.stream()
                .filter(reader -> reader.owner().equals(visited.get(visited.size() - 1)))
                .findFirst()
                .orElseThrow();
        assertThat(lock.extend(last, 600_000)).isTrue();

        assertThat(releaseRead(visited.get(0))).isTrue();

        assertThat(pttl()).isGreaterThan(300_000);
        // Also one that it does not visit on its way.
        String far = visited.get(visited.size() / 2);
        assertThat(releaseRead(far)).isTrue();
        assertThat(state()).doesNotContainKey(far);
    }

    /** The dead ones before it are fewer than a script visits at most. With names that long, Redis gives them in pages. */
    @Test
    void lastOfManyReadersKeepsWritersOut() {
        IntStream.range(0, 150).forEach(i -> read("r".repeat(64) + i + ":1:1", 60_000));
        readersInOrder().subList(0, 149).forEach(reader -> SERVER.cli().del(hold(reader)));

        assertThat(write("w:1:1", 5_000)).isInstanceOf(Answer.Busy.class);
    }

    @Test
    void deadReadersOfAnotherLibraryAreInNobodysWay() {
        SERVER.cli().hset(key, Map.of("mode", "read", "another:1", "2"));
        SERVER.cli().pexpire(key, 60_000);
        SERVER.cli().set(hold("another:1"), "1", SetArgs.Builder.px(60_000));
        assertThat(write("a:1:1", 5_000)).isInstanceOf(Answer.Busy.class);
        // Its second hold alone.
        SERVER.cli().del(hold("another:1"));
        SERVER.cli().set(hold("another:1", 2), "1", SetArgs.Builder.px(60_000));
        assertThat(write("a:1:1", 5_000)).isInstanceOf(Answer.Busy.class);

        SERVER.cli().del(hold("another:1", 2));

        assertThat(write("a:1:1", 5_000)).isInstanceOf(Grant.class);
    }

    @Test
    void forcedReleaseRemovesEachHoldOfAReaderOfAnotherLibrary() {
        String owner = UUID.randomUUID() + ":1";
        SERVER.cli().hset(key, Map.of("mode", "read", owner, "3"));
        SERVER.cli().pexpire(key, 60_000);
        for (int number = 1; number <= 3; number++) {
            SERVER.cli().set(hold(owner, number), "1", SetArgs.Builder.px(60_000));
        }

        try (LockClient client = Waits.client(SERVER).build()) {
            assertThat(client.forceRelease(key)).isTrue();
        }

        assertThat(SERVER.cli().keys("*" + key + "*")).isEmpty();
    }

    @Test
    void writerOfAnotherLibraryIsThereForAsLongAsItsLock() {
        SERVER.cli().hset(key, Map.of("mode", "write", "another:1:write", "1"));
        SERVER.cli().pexpire(key, 60_000);

        assertThat(write("a:1:1", 5_000))
                .isInstanceOfSatisfying(
                        Answer.Busy.class,
                        busy -> assertThat(TimeUnit.NANOSECONDS.toMillis(busy.retryAfterNanos()))
                                .isGreaterThan(30_000));
        assertThat(read("a:1:1", 5_000)).isInstanceOf(Answer.Busy.class);
    }

    /** Redis has lost the key of the lock, and not that of the hold. */
    @Test
    void lateReleaseOfALostHoldLeavesTheNextHoldersLock() {
        write("a:1:1", 20_000);
        lock.loseKeys();
        write("b:1:1", 20_000);

        assertThat(releaseWrite("a:1:1")).isFalse();

        assertThat(state()).containsEntry("mode", "write").hasSize(2);
        assertThat(releaseWrite("b:1:1")).isTrue();
    }

    @Test
    void readersComeInPastAWriterThatDiedThoughItsOwnReadLivesOn() {
        write(DEAD, 60_000);
        lock.acquireBeside(DEAD, "dead:7:8", 60_000);
        SERVER.cli().del(hold(DEAD + ":write"));

        assertThat(read("a:1:1", 5_000)).isInstanceOf(Grant.class);
        assertThat(write("a:1:1", 5_000)).isInstanceOf(Answer.Busy.class);

        assertThat(state()).containsEntry("mode", "read").containsOnlyKeys("mode", "dead:7:8", "a:1:1");
    }

    @Test
    void threadThatLostItsWriteReadsAsAnybodyElse() {
        write(DEAD, 60_000);
        SERVER.cli().del(key, hold(DEAD + ":write"));
        write("b:1:1", 60_000);

        assertThat(lock.acquireBeside(DEAD, "dead:7:8", 5_000)).isInstanceOf(Answer.Busy.class);
    }

    // Beside Redisson

    /** It may go on alone after ours, and no release of ours tells the writer of its end. */
    @Test
    void writerListensToARedissonReaderBesideOneOfOurs() {
        read("a:1:1", 5_000);
        redissonReads();

        assertThat(lock.waitExcluding("c:1:1"))
                .isInstanceOfSatisfying(
                        Answer.Busy.class,
                        busy -> assertThat(busy.besideRedisson()).isTrue());
    }

    @Test
    void writerIsToldWhenOnlyARedissonReaderIsLeft() {
        String writer = UUID.randomUUID() + ":1:1";
        WakeChannel heard = lock.listening(writer);
        read("a:1:1", 5_000);
        lock.waitExcluding(writer);
        redissonReads();

        releaseRead("a:1:1");

        heard.awaitHeard(writer);
    }

    /** They drop a message that is neither 0 nor 1. */
    @Test
    void everyFourthReleaseLeavesTheLockToRedissonAndTheOthersToOurWriter() {
        String writer = UUID.randomUUID() + ":1:1";
        WakeChannel heard = lock.listening(writer);
        WakeChannel redisson = lock.listening(WakeChannel.ofRedissonReadWrite(SERVER, key));
        for (int i = 1; i <= 4; i++) {
            write("a:1:" + i, 5_000);
            lock.waitExcluding(writer);
            releaseWrite("a:1:" + i);
            SERVER.cli().del(lock.queue.list());
        }

        heard.awaitHeard(writer, writer, writer, writer);
        redisson.awaitHeard("2", "2", "2", "2", "1");
    }

    /** Behind a reader, one that is woken is enough; behind a writer, all may be readers. */
    @Test
    void lastReaderWakesOneOfRedissonsWaitersAndAWriterAllOfThem() {
        WakeChannel redisson = lock.listening(WakeChannel.ofRedissonReadWrite(SERVER, key));
        read("a:1:1", 5_000);
        releaseRead("a:1:1");
        write("a:1:2", 5_000);
        releaseWrite("a:1:2");

        redisson.awaitHeard("2", "0", "2", "1");
    }

    /** The turn is so short that a machine may stand still for longer, so one that is met is enough. */
    @Test
    void writerThatWaitsIsRefusedInTheTurnOfRedisson() {
        lock.listening(WakeChannel.ofRedissonReadWrite(SERVER, key));
        AtomicInteger writers = new AtomicInteger();
        Await.until("a turn", Await.PATIENCE, () -> {
            String writer = "a:1:" + writers.incrementAndGet();
            write(writer, 5_000);
            Answer answer = lock.releaseExcludingToWaiter(writer, "b:1:" + writers);
            SERVER.cli().del(key, lock.queue.list());
            return answer instanceof Answer.Busy busy && busy.holder() == null;
        });
    }

    private void redissonReads() {
        SERVER.cli().hset(key, "uuid:1", "1");
        SERVER.cli().set(hold("uuid:1"), "1", SetArgs.Builder.px(5_000));
    }
}

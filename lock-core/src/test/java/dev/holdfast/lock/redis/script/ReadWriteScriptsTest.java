package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.protocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.AcquireRequest.Hearing;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseRequest;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseResult;
import dev.holdfast.lock.internal.protocol.ReadWriteProtocol;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The read/write scripts on states that a client alone does not easily bring about: sent twice, sent late, met by the dead. */
@Timeout(60)
class ReadWriteScriptsTest {

    private static final String DEAD = "dead:7:7";

    private final RedisServer server = RedisServer.start();
    private final ScriptConnection connection = new ScriptConnection(server);
    private final RedisGateway gateway = connection.gateway;
    private final LockKeys keys = ScriptConnection.KEYS;
    private final ReadWriteProtocol reading = new ReadWriteProtocol(gateway, keys, 0, LockKind.READ, true);
    private final ReadWriteProtocol writing = new ReadWriteProtocol(gateway, keys, 0, LockKind.WRITE, true);
    private final String key = "scripts-" + UUID.randomUUID();

    @AfterEach
    void close() {
        connection.close();
        server.close();
    }

    private Grant grant(String owner) {
        return new Grant(key, key, owner, 1024, 1, 0, 1_000_000_000);
    }

    private Answer read(String owner, long leaseMillis) {
        return read(owner, leaseMillis, null);
    }

    private Answer read(String owner, long leaseMillis, @Nullable String writer) {
        return now(
                reading.acquire(new AcquireRequest(key, key, owner, terms(leaseMillis), 1, 0, 0, Hearing.YES, writer)));
    }

    private Answer write(String owner, long leaseMillis) {
        return now(
                writing.acquire(new AcquireRequest(key, key, owner, terms(leaseMillis), 1, 0, 0, Hearing.YES, null)));
    }

    private Map<String, String> state() {
        return server.cli().hgetall(key);
    }

    private long pttl() {
        return server.cli().pttl(key);
    }

    private String hold(String field) {
        return "{" + key + "}:" + field + ":rwlock_timeout:1";
    }

    private Object renew(String field, long leaseMillis) {
        return gateway.run(reading.renewal(), List.of(key), List.of(field, Long.toString(leaseMillis)))
                .join()
                .get(0);
    }

    /** Each of these scripts looked at as many keys as the count says, and Redis answered nobody else meanwhile. */
    @ParameterizedTest
    @ValueSource(strings = {"write", "inspect", "release", "force"})
    void countThatAnotherProgramHasWrittenDoesNotKeepRedisBusy(String script) {
        read("reader:1:1", 20_000);
        server.cli().hset(key, "r1:1", "9007199254740991");
        server.cli().del(hold("reader:1:1"));

        try (LockClient client = RedisLockClient.create(RedisSource.of(server.uri()))) {
            Object answer = switch (script) {
                case "write" -> write("writer:2:2", 1_000);
                case "inspect" -> client.inspect(key);
                case "release" -> now(reading.release(new ReleaseRequest(key, "reader:1:1", 0, 0)));
                default -> client.forceRelease(key);
            };
            assertThat(answer).isNotNull();
        }
    }

    // Sent twice

    @Test
    void acquisitionOfEitherSideAnswersAndLeavesTheSame() {
        Answer write = write("a:1:1", 5_000);
        Answer nested = read("a:1:2", 5_000, "a:1:1");
        Map<String, String> once = state();

        assertThat(write("a:1:1", 5_000))
                .usingRecursiveComparison()
                .comparingOnlyFields("grant.key", "grant.owner", "grant.firstToken", "grant.lastToken")
                .isEqualTo(write);
        assertThat(read("a:1:2", 5_000, "a:1:1"))
                .usingRecursiveComparison()
                .comparingOnlyFields("grant.key", "grant.owner", "grant.firstToken", "grant.lastToken")
                .isEqualTo(nested);

        assertThat(state())
                .isEqualTo(once)
                .containsExactlyInAnyOrderEntriesOf(Map.of("mode", "write", "a:1:1:write", "1", "a:1:2", "1"));
    }

    @Test
    void releaseThatIsRepeatedFreesNothingAndSaysSo() {
        read("a:1:1", 5_000);
        read("b:1:1", 5_000);

        assertThat(now(reading.release(new ReleaseRequest(key, "a:1:1", 0, 0))).wasOwner())
                .isTrue();
        Map<String, String> once = state();
        assertThat(now(reading.release(new ReleaseRequest(key, "a:1:1", 0, 0)))).isEqualTo(new ReleaseResult(false, 0));

        assertThat(state()).isEqualTo(once).containsOnlyKeys("mode", "b:1:1");
    }

    @Test
    void goingOnAsAReaderIsDoneOnce() {
        write("a:1:1", 5_000);
        read("a:1:2", 5_000, "a:1:1");

        assertThat(now(writing.release(new ReleaseRequest(key, "a:1:1", 0, 0))).wasOwner())
                .isTrue();
        Map<String, String> once = state();
        assertThat(now(writing.release(new ReleaseRequest(key, "a:1:1", 0, 0))).wasOwner())
                .isFalse();

        assertThat(state()).isEqualTo(once).containsEntry("mode", "read").containsOnlyKeys("mode", "a:1:2");
    }

    @Test
    void verificationChangesNothing() {
        read("a:1:1", 1_000);
        String hold = server.cli().get(hold("a:1:1"));

        assertThat(now(reading.extend(grant("a:1:1"), 10))).isTrue();

        assertThat(server.cli().get(hold("a:1:1"))).isEqualTo(hold);
        assertThat(pttl()).isBetween(1L, 1_000L);
    }

    // Each hold for itself

    @Test
    void renewalOfOneReaderProlongsNoOther() {
        read("a:1:1", 1_000);
        read("b:1:1", 1_000);

        assertThat(renew("b:1:1", 20_000)).isEqualTo(1L);

        assertThat(server.cli().pttl(hold("a:1:1"))).isLessThanOrEqualTo(1_000);
        assertThat(pttl()).isGreaterThan(15_000);
    }

    @Test
    void lockLivesAsLongAsItsLongestReader() {
        read("a:1:1", 20_000);
        read("b:1:1", 1_000);
        assertThat(pttl()).isGreaterThan(15_000);

        now(reading.release(new ReleaseRequest(key, "a:1:1", 0, 0)));

        assertThat(pttl()).isLessThanOrEqualTo(1_000);
    }

    @Test
    void readerThatLeavesAWriterDoesNotShortenItsLease() {
        write("a:1:1", 20_000);
        read("a:1:2", 1_000, "a:1:1");

        now(reading.release(new ReleaseRequest(key, "a:1:2", 0, 0)));

        assertThat(pttl()).isGreaterThan(15_000);
        assertThat(state()).containsEntry("mode", "write");
    }

    @Test
    void renewalOfAHoldThatIsOverSaysSo() {
        read("a:1:1", 30_000);
        read("b:1:1", 30_000);
        server.cli().del(hold("a:1:1"));

        assertThat(renew("a:1:1", 30_000)).isEqualTo(0L);
        assertThat(now(reading.extend(grant("a:1:1"), 30_000))).isFalse();
        assertThat(renew("b:1:1", 30_000)).isEqualTo(1L);
    }

    @Test
    void renewalsOfOneCommandAreAnsweredEachOnItsOwn() {
        read("a:1:1", 1_000);
        server.cli().set(key + "-text", "of another type");
        List<Object> answers = gateway.run(
                        reading.renewal(),
                        List.of(key + "-text", key, key + "-none"),
                        List.of("x", "5000", "a:1:1", "5000", "y", "5000"))
                .join();
        assertThat(answers).containsExactly(0L, 1L, 0L);
    }

    // The dead

    /** A reader whose own time is over, in a lock that another reader keeps alive. */
    private void readerDies() {
        read(DEAD, 60_000);
        server.cli().del(hold(DEAD));
    }

    @Test
    void deadReaderIsInNoWritersWayThoughItsLockLivesOn() {
        readerDies();
        assertThat(pttl()).isGreaterThan(30_000);

        assertThat(write("a:1:1", 5_000)).isInstanceOf(Answer.Granted.class);

        assertThat(state()).containsOnlyKeys("mode", "a:1:1:write");
        assertThat(pttl()).isLessThanOrEqualTo(5_000);
    }

    @Test
    void deadReaderBlocksNoLongerThanItsOwnLeaseThoughAnotherIsRenewed() {
        read(DEAD, 600);
        read("b:1:1", 600);
        renew("b:1:1", 60_000);
        now(reading.release(new ReleaseRequest(key, "b:1:1", 0, 0)));
        assertThat(write("a:1:1", 5_000)).isInstanceOfSatisfying(Answer.Busy.class, busy -> {
            assertThat(TimeUnit.NANOSECONDS.toMillis(busy.retryAfterNanos())).isLessThanOrEqualTo(600);
            assertThat(busy.holder()).isEqualTo(DEAD);
        });

        Await.until("its lease is over", Duration.ofSeconds(5), () -> write("a:1:1", 5_000) instanceof Answer.Granted);
    }

    @Test
    void lastLivingReaderFreesTheLockPastTheDead() {
        readerDies();
        read("b:1:1", 60_000);

        assertThat(now(reading.release(new ReleaseRequest(key, "b:1:1", 0, 0))).wasOwner())
                .isTrue();

        assertThat(state()).isEmpty();
    }

    @Test
    void deadReadersOfAnotherLibraryAreInNobodysWay() {
        server.cli().hset(key, Map.of("mode", "read", "another:1", "2"));
        server.cli().pexpire(key, 60_000);
        server.cli().psetex(hold("another:1"), 60_000, "1");
        assertThat(write("a:1:1", 5_000)).isInstanceOf(Answer.Busy.class);
        // Its second hold alone.
        server.cli().del(hold("another:1"));
        server.cli().psetex("{" + key + "}:another:1:rwlock_timeout:2", 60_000, "1");
        assertThat(write("a:1:1", 5_000)).isInstanceOf(Answer.Busy.class);

        server.cli().del("{" + key + "}:another:1:rwlock_timeout:2");

        assertThat(write("a:1:1", 5_000)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void writerOfAnotherLibraryIsThereForAsLongAsItsLock() {
        server.cli().hset(key, Map.of("mode", "write", "another:1:write", "1"));
        server.cli().pexpire(key, 60_000);

        assertThat(write("a:1:1", 5_000))
                .isInstanceOfSatisfying(
                        Answer.Busy.class,
                        busy -> assertThat(TimeUnit.NANOSECONDS.toMillis(busy.retryAfterNanos()))
                                .isGreaterThan(30_000));
        assertThat(read("a:1:1", 5_000)).isInstanceOf(Answer.Busy.class);
    }

    @Test
    void readersComeInPastAWriterThatDiedThoughItsOwnReadLivesOn() {
        write(DEAD, 60_000);
        read("dead:7:8", 60_000, DEAD);
        server.cli().del(hold(DEAD + ":write"));

        assertThat(read("a:1:1", 5_000)).isInstanceOf(Answer.Granted.class);
        assertThat(write("a:1:1", 5_000)).isInstanceOf(Answer.Busy.class);

        assertThat(state()).containsEntry("mode", "read").containsOnlyKeys("mode", "dead:7:8", "a:1:1");
    }

    @Test
    void threadThatLostItsWriteReadsAsAnybodyElse() {
        write(DEAD, 60_000);
        server.cli().del(key, hold(DEAD + ":write"));
        write("b:1:1", 60_000);

        assertThat(read("dead:7:8", 5_000, DEAD)).isInstanceOf(Answer.Busy.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 100_000})
    void holdThatLivesLongerThanItsLeaseIsGivenItsLease(long left) {
        read(DEAD, 500);
        if (left < 0) {
            server.cli().persist(hold(DEAD));
        } else {
            server.cli().pexpire(hold(DEAD), left);
        }
        server.cli().persist(key);

        assertThat(write("a:1:1", 5_000)).isInstanceOf(Answer.Busy.class);
        assertThat(server.cli().pttl(hold(DEAD))).isBetween(1L, 500L);

        Await.until("its lease is over", Duration.ofSeconds(5), () -> write("a:1:1", 5_000) instanceof Answer.Granted);
        assertThat(pttl()).isBetween(1L, 5_000L);
    }

    // Beside Redisson

    /** It may go on alone after ours, and no release of ours tells the writer of its end. */
    @Test
    void writerListensToARedissonReaderBesideOneOfOurs() {
        read("a:1:1", 5_000);
        redissonReads();

        assertThat(waits("c:1:1"))
                .isInstanceOfSatisfying(
                        Answer.Busy.class,
                        busy -> assertThat(busy.besideRedisson()).isTrue());
    }

    @Test
    void writerIsToldWhenOnlyARedissonReaderIsLeft() {
        try (WakeChannel heard = WakeChannel.of(server, "c")) {
            read("a:1:1", 5_000);
            waits("c:1:1");
            redissonReads();

            now(reading.release(new ReleaseRequest(key, "a:1:1", 0, 0)));

            awaitMessages(heard, "c:1:1");
        }
    }

    /** They drop a message that is neither 0 nor 1. */
    @Test
    void everyFourthReleaseLeavesTheLockToRedissonAndTheOthersToOurWriter() {
        try (WakeChannel heard = WakeChannel.of(server, "c");
                WakeChannel redisson = WakeChannel.ofRedissonReadWrite(server, key)) {
            for (int i = 1; i <= 4; i++) {
                write("a:1:" + i, 5_000);
                waits("c:1:1");
                now(writing.release(new ReleaseRequest(key, "a:1:" + i, 0, 0)));
                server.cli().del("redisson_lock_queue:{" + key + "}");
            }

            awaitMessages(heard, "c:1:1", "c:1:1", "c:1:1", "c:1:1");
            awaitMessages(redisson, "2", "2", "2", "2", "1");
        }
    }

    @Test
    void releaseWakesRedissonWhereNoWriterOfOursIsTold() {
        try (WakeChannel redisson = WakeChannel.ofRedissonReadWrite(server, key)) {
            write("a:1:1", 5_000);
            now(writing.release(new ReleaseRequest(key, "a:1:1", 0, 0)));

            awaitMessages(redisson, "2", "1");
        }
    }

    private Answer waits(String owner) {
        return now(writing.acquire(new AcquireRequest(key, key, owner, terms(5_000), 1, 0, 5_000, Hearing.YES, null)));
    }

    private void redissonReads() {
        server.cli().hset(key, "uuid:1", "1");
        server.cli().set(hold("uuid:1"), "1", SetArgs.Builder.px(5_000));
    }

    private static void awaitMessages(WakeChannel channel, String... messages) {
        Await.until(
                "the messages have come",
                TwoClients.PATIENCE,
                () -> channel.heard().size() >= messages.length);
        assertThat(channel.heard()).containsExactly(messages);
    }
}

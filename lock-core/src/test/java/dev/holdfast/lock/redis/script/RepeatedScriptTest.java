package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.script.ScriptedLock.owner;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseResult;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.redis.script.ScriptedLock.Kind;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts of each kind, sent twice or late, as a client does that resends what was in flight, and on a server without memory. */
@Timeout(Await.TEST_SECONDS)
class RepeatedScriptTest {

    @AutoClose
    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    private static final String A = owner("a", 1);
    private static final String B = owner("b", 1);

    private ScriptedLock lock;

    private void use(Kind kind) {
        lock = new ScriptedLock(server, kind);
    }

    @AfterEach
    void close() {
        server.cli().configSet("maxmemory", "0");
        lock.close();
    }

    @ParameterizedTest
    @EnumSource
    void acquisitionThatIsRepeatedFindsItsGrant(Kind kind) {
        use(kind);
        Grant first = lock.granted(A, 120_000);
        Map<String, String> once = lock.state();

        Grant again = lock.granted(A, 120_000);

        assertThat(again.firstToken()).isEqualTo(first.firstToken());
        assertThat(lock.state()).isEqualTo(once);
    }

    /** A release elsewhere grants for a short time, and a lost request may have been sent for another waiter. */
    @ParameterizedTest
    @EnumSource
    void acquisitionThatIsRepeatedForALongerLeaseProlongsItsGrant(Kind kind) {
        use(kind);
        Grant first = lock.granted(A, 3_000);

        Grant again = lock.granted(A, 240_000);

        assertThat(again.firstToken()).isEqualTo(first.firstToken());
        assertThat(again.leaseNanos()).isEqualTo(TimeUnit.MINUTES.toNanos(4));
        assertThat(lock.left()).isBetween(180_000L, 240_000L);
        // A waiter cuts what lives longer than the lease that the lock names.
        assertThat(lock.acquireExcluding(B, 60_000)).isInstanceOf(Answer.Busy.class);
        assertThat(lock.left()).isGreaterThan(180_000);
    }

    /** The number is that of Redisson's clients. */
    @ParameterizedTest
    @EnumSource
    void releaseSaysThatItCouldNotifyOthersAndThatNobodyHeardIt(Kind kind) {
        use(kind);
        lock.granted(A, 120_000);
        assertThat(lock.release(A, 0)).isEqualTo(new ReleaseResult(true, 0));
        lock.granted(A, 120_000);
        lock.waitExcluding(B);

        assertThat(lock.release(A, 0)).as("with a queue").isEqualTo(new ReleaseResult(true, 0));

        lock.granted(A, 120_000);
        assertThat(lock.release(A, 10)).as("stays taken").isEqualTo(new ReleaseResult(true, 0));
    }

    @Test
    void nameThatWasLostIsTakenAgainWithANewTokenForAllNames() {
        use(Kind.SEVERAL);
        Grant first = lock.granted(A, 120_000);
        String second = lock.queue.name() + "-b";
        server.cli().del(second);

        assertThat(lock.granted(A, 120_000).firstToken()).isGreaterThan(first.firstToken());

        assertThat(server.cli().hgetall(second)).isEqualTo(server.cli().hgetall(lock.queue.name()));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void releaseSaysThatOneNameWasLostAndFreesTheOther(int lost) {
        use(Kind.SEVERAL);
        lock.granted(A, 120_000);
        server.cli().del(List.of(lock.queue.name(), lock.queue.name() + "-b").get(lost));

        assertThat(lock.release(A, 0).wasOwner()).isFalse();

        assertThat(lock.namesHeld()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void acquisitionThatIsRepeatedLateNeverShortensAnExtendedLease(Kind kind) {
        use(kind);
        assertThat(lock.extend(lock.granted(A, 60_000), 240_000)).isTrue();

        lock.acquire(A, 60_000);

        assertThat(lock.acquireExcluding(B, 60_000)).isInstanceOf(Answer.Busy.class);
        assertThat(lock.left()).isGreaterThan(180_000);
    }

    @ParameterizedTest
    @EnumSource
    void releaseThatIsRepeatedFreesNothingAndSaysSo(Kind kind) {
        use(kind);
        lock.granted(A, 120_000);

        assertThat(lock.release(A, 0).wasOwner()).isTrue();
        assertThat(lock.release(A, 0)).isEqualTo(new ReleaseResult(false, 0));

        assertThat(lock.state()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void lateReleaseOrRenewalTouchesNoLaterGrant(Kind kind) {
        use(kind);
        Grant earlier = lock.granted(A, 120_000);
        lock.release(A, 0);
        lock.granted(owner("a", 2), 120_000);
        Map<String, String> next = lock.state();

        assertThat(lock.release(A, 0).wasOwner()).isFalse();
        assertThat(lock.release(A, 100).wasOwner()).isFalse();
        assertThat(lock.extend(earlier, 240_000)).isFalse();
        assertThat(lock.renew(earlier, 240_000)).isNotEmpty().containsOnly(0L);

        assertThat(lock.state()).isEqualTo(next);
        assertThat(lock.left()).isBetween(60_000L, 120_000L);
    }

    @ParameterizedTest
    @EnumSource
    void renewalTwiceIsARenewalOnce(Kind kind) {
        use(kind);
        Grant grant = lock.granted(A, 60_000);

        // More than it was granted for: a first lease is short.
        assertThat(lock.renew(grant, 120_000)).isNotEmpty().containsOnly(1L);
        Map<String, String> once = lock.state();
        assertThat(lock.renew(grant, 120_000)).isNotEmpty().containsOnly(1L);
        assertThat(lock.extend(grant, 120_000)).isTrue();

        assertThat(lock.state()).isEqualTo(once);
        assertThat(lock.left()).isBetween(60_000L, 120_000L);
    }

    /** After Redis has lost the first grant, its owner id may name a second one. The holds of a read/write lock have no token that a renewal names. */
    @ParameterizedTest
    @EnumSource
    void renewalNamesItsGrantByItsToken(Kind kind) {
        use(kind);
        Grant lost = lock.granted(A, 60_000);
        lock.lose();
        lock.granted(A, 60_000);
        Map<String, String> next = lock.state();

        assertThat(lock.renew(lost, 240_000)).isNotEmpty().containsOnly(0L);
        assertThat(lock.extend(lost, 240_000)).isFalse();

        assertThat(lock.state()).isEqualTo(next);
        assertThat(lock.left()).isLessThanOrEqualTo(60_000);
    }

    /** They were sent before the release, over a connection that has ended since. */
    @ParameterizedTest
    @EnumSource
    void renewalOrStopRequestBehindAReleaseDoesNotChangeAMinimumHold(Kind kind) {
        use(kind);
        Grant grant = lock.granted(A, 300_000);
        assertThat(lock.release(A, 240_000).wasOwner()).isTrue();

        for (long lease : new long[] {60_000, 300_000}) {
            assertThat(lock.renew(grant, lease)).isNotEmpty().containsOnly(0L);
            assertThat(lock.extend(grant, lease)).isFalse();
        }
        assertThat(lock.requestStop(grant)).as("asked to stop").isFalse();

        assertThat(lock.left()).isBetween(180_000L, 240_000L);
        lock.release(A, 230_000);
        assertThat(lock.left()).isBetween(180_000L, 240_000L);
        assertThat(lock.acquireExcluding(B, 60_000)).isInstanceOf(Answer.Busy.class);
    }

    @ParameterizedTest
    @EnumSource
    void waiterHasOnePlaceUntilItLeavesAndItsQueueHasAnEnd(Kind kind) {
        use(kind);
        lock.granted(A, 240_000);
        for (int i = 0; i < 3; i++) {
            assertThat(lock.waitExcluding(B)).isInstanceOf(Answer.Busy.class);
            lock.waitExcluding(owner("c", 1));
        }
        assertThat(lock.places()).hasSize(2);
        // Ten minutes behind the last deadline, unless somebody asks again.
        assertThat(lock.left()).isBetween(1L, Duration.ofMinutes(10).toMillis() + 120_000);

        assertThat(lock.releaseExcluding(B).wasOwner()).isFalse();

        assertThat(lock.places()).singleElement().asString().startsWith(owner("c", 1));
    }

    @ParameterizedTest
    @EnumSource
    void waiterThatLeavesAFreeLockHasTheNextOneServed(Kind kind) {
        use(kind);
        String next = UUID.randomUUID() + ":1:1:3000:1";
        WakeChannel heard = lock.listening(next);
        lock.granted(A, 240_000);
        lock.waitExcluding(B);
        lock.waitExcluding(next);
        lock.loseKeys();

        lock.releaseExcluding(B);

        Await.until("a message", Await.PATIENCE, () -> !heard.heard().isEmpty());
        assertThat(heard.heard()).singleElement().asString().startsWith(next);
    }

    @ParameterizedTest
    @EnumSource
    void releaseBeforeTheEndOfAMinimumHoldTellsTheFirstWaiterToAskHowLongItIs(Kind kind) {
        use(kind);
        String waiter = UUID.randomUUID() + ":1:1:3000:1";
        WakeChannel heard = lock.listening(waiter);
        lock.granted(A, 240_000);
        lock.waitExcluding(waiter);

        lock.release(A, 120_000);

        heard.awaitHeard(waiter);
        assertThat(lock.waitExcluding(waiter))
                .isInstanceOfSatisfying(
                        Answer.Busy.class,
                        busy -> assertThat(TimeUnit.NANOSECONDS.toMillis(busy.retryAfterNanos()))
                                .isBetween(1L, 120_000L));
    }

    /** As after the server's clock was set back. */
    @ParameterizedTest
    @EnumSource
    void holdThatRedisKeepsForLongerThanItsLeaseBlocksNobodyForLonger(Kind kind) {
        for (boolean hasEnd : new boolean[] {true, false}) {
            use(kind);
            lock.granted(A, 200);
            lock.outliveLease(hasEnd ? Duration.ofHours(1) : null);

            Await.until("it is over", Await.PATIENCE, () -> lock.acquireExcluding(B, 5_000) instanceof Grant);

            assertThat(lock.isHeldBy(A)).isFalse();
            lock.close();
        }
    }

    @Test
    void holdOfAnotherLibraryWithoutAnEndIsLeftAlone() {
        use(Kind.PLAIN);
        server.cli().hset(lock.queue.name(), UUID.randomUUID() + ":1", "1");

        assertThat(lock.acquire(B, 120_000)).isInstanceOf(Answer.Busy.class);

        assertThat(server.cli().pttl(lock.queue.name())).isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource
    void serverWithoutMemoryRenewsAndReleasesAndGrantsNothing(Kind kind) {
        use(kind);
        Grant grant = lock.granted(A, 120_000);
        lock.waitExcluding(B);
        server.cli().configSet("maxmemory", "1");

        assertThat(lock.renew(grant, 350_000)).isNotEmpty().containsOnly(1L);
        assertThat(lock.extend(grant, 400_000)).isTrue();
        assertThat(lock.left()).isGreaterThan(300_000);
        assertThat(lock.release(A, 0).wasOwner()).isTrue();

        assertThatThrownBy(() -> lock.waitExcluding(B)).hasMessageContaining("OOM");
        assertThat(lock.namesHeld()).isZero();
    }
}

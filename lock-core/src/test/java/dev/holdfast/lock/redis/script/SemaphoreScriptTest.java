package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockClient;
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
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A semaphore's scripts: met by ended permits, with other numbers of permits. What each kind does is in {@link RepeatedScriptTest}. */
@Timeout(60)
class SemaphoreScriptTest {

    private static final long LEASE = 20_000;

    private static final RedisServer SERVER = RedisServer.start();
    private final FairQueue queue = new FairQueue(SERVER, Waits.name("permits"));
    private final ScriptConnection connection = new ScriptConnection(SERVER);
    private final RedisGateway gateway = connection.gateway;
    private final LockKeys keys = ScriptConnection.KEYS;
    private final PlainProtocol plain = new PlainProtocol(gateway, keys, 0, LockKind.SEMAPHORE);
    private final PlainProtocol fair = new PlainProtocol(gateway, keys, 0, LockKind.FAIR_SEMAPHORE);
    private final List<WakeChannel> listeners = new ArrayList<>();

    @AfterEach
    void close() {
        listeners.forEach(WakeChannel::close);
        connection.close();
        SERVER.cli().flushall();
    }

    @AfterAll
    static void closeServer() {
        SERVER.close();
    }

    /** An owner for whom there are so many permits. */
    private static String owner(String client, int permits) {
        return client + ":1:1:3000:" + permits;
    }

    private Answer ask(PlainProtocol kind, String owner, long leaseMillis, long patience) {
        return now(kind.acquire(new AcquireRequest(
                queue.name(), queue.name(), owner, terms(leaseMillis), 1, 0, patience, Hearing.YES, null)));
    }

    private Answer waits(String owner) {
        return ask(plain, owner, LEASE, 5_000);
    }

    private Grant granted(String owner) {
        return granted(owner, LEASE);
    }

    private Grant granted(String owner, long leaseMillis) {
        Answer answer = ask(plain, owner, leaseMillis, 0);
        assertThat(answer).as(owner).isInstanceOf(Answer.Granted.class);
        return ((Answer.Granted) answer).grant();
    }

    private Answer.Busy refused(String owner) {
        Answer answer = ask(plain, owner, LEASE, 0);
        assertThat(answer).as(owner).isInstanceOf(Answer.Busy.class);
        return (Answer.Busy) answer;
    }

    private ReleaseResult release(String owner, long keepMillis) {
        return now(plain.release(new ReleaseRequest(queue.name(), owner, keepMillis, 0)));
    }

    private boolean release(String owner) {
        return release(owner, 0).wasOwner();
    }

    private List<String> holders() {
        return SERVER.cli().hkeys(queue.name()).stream()
                .filter(field -> !field.startsWith("holdfast:"))
                .sorted()
                .toList();
    }

    private long serverMillis() {
        List<String> time = SERVER.cli().time();
        return Long.parseLong(time.get(0)) * 1000 + Long.parseLong(time.get(1)) / 1000;
    }

    /** The ms that a permit has left. */
    private long left(String owner) {
        return Long.parseLong(SERVER.cli().hget(queue.name(), owner).split(":")[0]) - serverMillis();
    }

    /** Listens as that client would. */
    private WakeChannel listening(String client) {
        WakeChannel channel = WakeChannel.of(SERVER, client);
        listeners.add(channel);
        Waits.awaitChannel(SERVER, WakeChannel.name(client), 1);
        return channel;
    }

    @Test
    void asManyHoldersEnterAsThereArePermits() {
        granted(owner("a", 2));
        granted(owner("b", 2));

        Answer.Busy busy = refused(owner("c", 2));

        assertThat(busy.holder()).isNull();
        assertThat(TimeUnit.NANOSECONDS.toMillis(busy.retryAfterNanos())).isBetween(LEASE - 5_000, LEASE);
        assertThat(holders()).containsExactly(owner("a", 2), owner("b", 2));
    }

    @Test
    void releaseThatIsRepeatedFreesOnePermit() {
        granted(owner("a", 2));
        granted(owner("b", 2));

        assertThat(release(owner("a", 2))).isTrue();
        assertThat(release(owner("a", 2))).isFalse();

        assertThat(holders()).containsExactly(owner("b", 2));
        granted(owner("c", 2));
        refused(owner("d", 2));
    }

    @Test
    void lastReleaseLeavesNothing() {
        granted(owner("a", 2));
        granted(owner("b", 2));
        release(owner("a", 2));
        release(owner("b", 2));

        assertThat(SERVER.cli().exists(queue.name())).isZero();
    }

    @Test
    void tokensOfHoldersDifferAndGrow() {
        long last = granted(owner("a", 2)).lastToken();

        assertThat(granted(owner("b", 2)).firstToken()).isGreaterThan(last);
    }

    @Test
    void permitOfADeadHolderIsFreeWhenItsLeaseEndsAndTheOthersStay() {
        granted(owner("dead", 2), 300);
        granted(owner("alive", 2));
        refused(owner("next", 2));

        Await.until("the lease's end", Waits.LONG, () -> left(owner("dead", 2)) <= 0);

        granted(owner("next", 2));
        assertThat(holders()).containsExactly(owner("alive", 2), owner("next", 2));
        assertThat(release(owner("dead", 2))).isFalse();
        assertThat(holders()).hasSize(2);
    }

    @Test
    void endedPermitIsNotRenewed() {
        granted(owner("other", 2));
        Grant ended = granted(owner("a", 2), 300);
        Await.until("the lease's end", Waits.LONG, () -> left(owner("a", 2)) <= 0);

        assertThat(now(plain.extend(ended, 5_000))).isFalse();
    }

    @Test
    void renewalLengthensOnePermitAndTheKey() {
        Grant a = granted(owner("a", 2), 1_000);
        granted(owner("b", 2), 1_000);

        assertThat(now(plain.extend(a, LEASE))).isTrue();
        assertThat(now(plain.extend(a, 1_000))).isTrue();

        assertThat(left(owner("a", 2))).isBetween(LEASE - 5_000, LEASE);
        assertThat(left(owner("b", 2))).isLessThanOrEqualTo(1_000);
        assertThat(SERVER.cli().pttl(queue.name())).isBetween(LEASE - 5_000, LEASE);
    }

    @Test
    void smallerNumberTakesNoPermitAwayAndStopsNewOnes() {
        for (String client : List.of("a", "b", "c")) {
            granted(owner(client, 3));
        }

        refused(owner("d", 1));
        assertThat(holders()).hasSize(3);

        release(owner("a", 3));
        release(owner("b", 3));
        refused(owner("d", 1));
        release(owner("c", 3));
        granted(owner("d", 1));
    }

    @Test
    void releaseGrantsByTheNumberOfTheOneWhoWaits() {
        listening("waiter");
        for (String client : List.of("a", "b", "c")) {
            granted(owner(client, 3));
        }
        waits(owner("waiter", 1));

        release(owner("a", 3));
        release(owner("b", 3));
        assertThat(holders()).containsExactly(owner("c", 3));

        release(owner("c", 3));
        assertThat(holders()).containsExactly(owner("waiter", 1));
    }

    @Test
    void callersWithALargerNumberWaitBehindTheOneWithTheSmaller() {
        listening("small");
        granted(owner("a", 3));
        waits(owner("small", 1));

        refused(owner("large", 3));

        release(owner("a", 3));
        assertThat(holders()).containsExactly(owner("small", 1));
    }

    @Test
    void largerNumberLetsMoreIn() {
        granted(owner("a", 1));
        refused(owner("b", 1));

        granted(owner("b", 2));
    }

    @Test
    void releaseGrantsToTheFirstInTheQueueThatListensAndTellsOnlyThatOne() {
        WakeChannel first = listening("first");
        WakeChannel second = listening("second");
        granted(owner("a", 2));
        granted(owner("b", 2));
        waits(owner("deaf", 2));
        waits(owner("first", 2));
        waits(owner("second", 2));

        release(owner("a", 2));

        assertThat(holders()).containsExactly(owner("b", 2), owner("first", 2));
        String token = SERVER.cli().hget(queue.name(), owner("first", 2)).split(":")[2];
        Await.until("the message", Waits.LONG, () -> first.heard().equals(List.of(owner("first", 2) + " " + token)));
        assertThat(second.heard()).isEmpty();
        assertThat(left(owner("first", 2))).isBetween(1L, 3_000L);
        assertThat(queue.owners()).containsExactly(owner("deaf", 2), owner("second", 2));
    }

    @Test
    void forcedReleaseGrantsAllPermitsAtOnce() {
        WakeChannel waiters = listening("waiter");
        granted(owner("a", 2));
        granted(owner("b", 2));
        for (int i = 0; i < 3; i++) {
            waits("waiter:1:" + i + ":3000:2");
        }
        try (LockClient operator = Waits.client(SERVER).build()) {
            assertThat(operator.forceRelease(queue.name())).isTrue();
        }

        assertThat(holders()).containsExactly("waiter:1:0:3000:2", "waiter:1:1:3000:2");
        Await.until("both messages", Waits.LONG, () -> waiters.heard().size() == 2);
    }

    @Test
    void waiterThatLeavesLetsThoseBehindItIn() {
        listening("small");
        listening("large");
        granted(owner("a", 3));
        waits(owner("small", 1));
        waits(owner("large", 3));

        assertThat(release(owner("small", 1))).isFalse();

        assertThat(holders()).containsExactly(owner("a", 3), owner("large", 3));
        assertThat(queue.isGone()).isTrue();
    }

    @Test
    void questionForAFreePermitServesThoseAheadFirst() {
        listening("ahead");
        queue.plant(owner("ahead", 1), Duration.ofSeconds(5));

        refused(owner("asker", 1));

        assertThat(holders()).containsExactly(owner("ahead", 1));
    }

    @Test
    void nameIsOfOneKindWhileItIsHeld() {
        granted(owner("a", 2));

        assertThatThrownBy(() -> ask(fair, owner("b", 2), LEASE, 0))
                .hasMessageContaining("held as a semaphore, asked for as a fair-semaphore");
    }

    @Test
    void minimumHoldKeepsThePermitForThatLong() {
        granted(owner("a", 1));

        assertThat(release(owner("a", 1), 400).wasOwner()).isTrue();

        refused(owner("b", 1));
        assertThat(SERVER.cli().pttl(queue.name())).isBetween(1L, 400L);
        Await.until("the minimum's end", Waits.LONG, () -> SERVER.cli().exists(queue.name()) == 0);
        granted(owner("b", 1));
    }

    @Test
    void permitsOfTheDeadAreFreeAgainAfterTheServersClockWasSetBack() {
        granted(owner("a", 1));
        // An hour ahead, as they were written before the clock went back.
        String[] permit = SERVER.cli().hget(queue.name(), owner("a", 1)).split(":");
        long ends = Long.parseLong(permit[0]) + 3_600_000;
        SERVER.cli().hset(queue.name(), owner("a", 1), ends + ":" + permit[1] + ":" + permit[2]);
        SERVER.cli().hset(queue.name(), "holdfast:end", Long.toString(ends));
        SERVER.cli().pexpire(queue.name(), 3_600_000);

        refused(owner("b", 1));

        assertThat(left(owner("a", 1))).isBetween(1L, LEASE);
        assertThat(SERVER.cli().pttl(queue.name())).isBetween(1L, LEASE);
    }

    @Test
    void numberThatAPermitCannotBeOfIsRefusedBeforeAnythingIsWritten() {
        for (String owner : List.of("a", "a:1:1:3000:0", "a:1:1:3000:x")) {
            assertThatThrownBy(() -> ask(plain, owner, LEASE, 5_000)).hasMessageContaining("out of bounds");
        }
        assertThatThrownBy(() -> ask(plain, owner("a", 1), 5, 5_000)).hasMessageContaining("out of bounds");

        assertThat(SERVER.cli().dbsize()).isZero();
    }

    @Test
    void costOfAnAcquisitionDoesNotGrowWithThePermitsHeld() {
        Map<String, Long> few = commandsWith(2);
        assertThat(commandsWith(500)).isEqualTo(few);
    }

    private Map<String, Long> commandsWith(int held) {
        SERVER.cli().flushall();
        for (int i = 0; i < held; i++) {
            granted("a:1:" + i + ":3000:10000");
        }
        release(owner("nobody", 10_000));
        SERVER.resetStats();
        granted(owner("b", 10_000));
        release(owner("b", 10_000));
        Map<String, Long> calls = new HashMap<>(SERVER.commandStats());
        calls.keySet().removeAll(List.of("hello", "client|setinfo", "config|resetstat"));
        return calls;
    }
}

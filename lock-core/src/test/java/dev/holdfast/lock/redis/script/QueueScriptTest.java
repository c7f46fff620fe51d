package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.leftMillis;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.AcquireRequest.Hearing;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseRequest;
import dev.holdfast.lock.internal.protocol.MultiProtocol;
import dev.holdfast.lock.internal.protocol.OwnerId;
import dev.holdfast.lock.internal.protocol.PlainProtocol;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The queue of a plain lock as its scripts keep it: who is granted, who is told, who is passed over. */
@Timeout(60)
class QueueScriptTest {

    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final long FIRST_LEASE = 3_000;
    /** What clients send, also one that connects just now. */
    private static final List<String> NOT_CALLED =
            List.of("evalsha", "eval", "hello", "client|setinfo", "config|resetstat", "info", "subscribe");

    private final RedisServer server = RedisServer.shared();
    private final FairQueue queue = new FairQueue(server, Waits.name("queue"));
    private final ScriptConnection connection = new ScriptConnection(server);
    private final RedisGateway gateway = connection.gateway;
    private final PlainProtocol protocol = new PlainProtocol(gateway, ScriptConnection.KEYS, 0, LockKind.REENTRANT);
    private final List<WakeChannel> listeners = new ArrayList<>();

    @AfterEach
    void close() {
        listeners.forEach(WakeChannel::close);
        server.cli().del(queue.name(), queue.list(), queue.deadlines());
        connection.close();
    }

    private Answer ask(String owner) {
        return ask(owner, true);
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

    private boolean release(String owner) {
        return release(owner, 0);
    }

    private boolean release(String owner, long keepMillis) {
        return now(protocol.release(new ReleaseRequest(queue.name(), owner, keepMillis, 0)))
                .wasOwner();
    }

    private WakeChannel listening(String client) {
        WakeChannel channel = WakeChannel.of(server, client);
        listeners.add(channel);
        return channel;
    }

    private static String client() {
        return UUID.randomUUID().toString();
    }

    private static String place(String client) {
        return client + ":1:1:" + FIRST_LEASE;
    }

    private String token() {
        return server.cli().hget(queue.name(), "holdfast:token");
    }

    private static void awaitMessages(WakeChannel channel, String... messages) {
        Await.until(
                "the messages have come",
                TwoClients.PATIENCE,
                () -> channel.heard().size() >= messages.length);
        assertThat(channel.heard()).containsExactly(messages);
    }

    @Test
    void releaseGrantsToTheFirstThatListensAndTellsNobodyElse() {
        String deaf = client();
        String first = client();
        String second = client();
        WakeChannel heardByFirst = listening(first);
        WakeChannel heardBySecond = listening(second);
        ask("holder:1:1:3000");
        ask(place(deaf));
        ask(place(first));
        Answer.Busy refused = (Answer.Busy) ask(place(second));
        long holdersToken = Long.parseLong(token());

        assertThat(release("holder:1:1:3000")).isTrue();

        assertThat(refused.lastDrawn()).isEqualTo(FencingTokens.drawn(holdersToken));
        assertThat(FencingTokens.drawn(Long.parseLong(token()))).isGreaterThan(refused.lastDrawn());
        assertThat(server.cli().hgetall(queue.name()))
                .containsEntry(place(first), "1")
                .containsEntry("holdfast:lease", Long.toString(FIRST_LEASE))
                .doesNotContainKey("holder:1:1:3000");
        assertThat(server.cli().pttl(queue.name())).isBetween(1L, FIRST_LEASE);
        awaitMessages(heardByFirst, place(first) + " " + token());
        assertThat(queue.owners()).containsExactly(place(deaf), place(second));
        assertThat(heardBySecond.heard()).isEmpty();
    }

    @Test
    void receiverThatLeavesAtThatMomentPassesTheGrantOn() {
        String leaving = client();
        String next = client();
        listening(leaving);
        WakeChannel heard = listening(next);
        ask("holder:1:1:3000");
        ask(place(leaving));
        ask(place(next));
        release("holder:1:1:3000");

        // It gives up before it has read the message: the same script as leaving the queue.
        assertThat(release(place(leaving))).isTrue();

        assertThat(server.cli().hget(queue.name(), place(next))).isEqualTo("1");
        awaitMessages(heard, place(next) + " " + token());
        assertThat(queue.isGone()).isTrue();
    }

    @Test
    void questionForAFreeLockGrantsToTheFirstThatListensAndEntersTheQueue() {
        String first = client();
        WakeChannel heard = listening(first);
        queue.plant(place(client()), Duration.ofSeconds(5));
        queue.plant(place(first), Duration.ofSeconds(5));

        Answer.Busy refused = (Answer.Busy) ask("asker:1:1:3000");

        assertThat(refused.holder()).isEqualTo(place(first));
        assertThat(queue.owners()).endsWith("asker:1:1:3000");
        awaitMessages(heard, place(first) + " " + token());
    }

    @Test
    void freeLockGoesToTheAskerWhereNobodyInTheQueueListens() {
        for (int i = 0; i < 40; i++) {
            queue.plant(place(client()), Duration.ofSeconds(5));
        }

        assertThat(ask("asker:1:1:3000")).isInstanceOf(Answer.Granted.class);

        assertThat(queue.owners()).hasSize(40);
    }

    /** The release looks for a queue only where the hold says that there is one. */
    @Test
    void lockThatWasTakenPastItsQueueIsGrantedToItByItsRelease() {
        String passedOver = client();
        queue.plant(place(passedOver), Duration.ofSeconds(20));
        assertThat(ask("asker:1:1:3000")).isInstanceOf(Answer.Granted.class);
        WakeChannel heard = listening(passedOver);

        assertThat(release("asker:1:1:3000")).isTrue();

        awaitMessages(heard, place(passedOver) + " " + token());
    }

    @Test
    void waiterForSeveralLocksIsToldByTheReleaseOfOne() {
        String waiter = client();
        WakeChannel heard = listening(waiter);
        MultiProtocol several =
                new MultiProtocol(List.of(queue.name(), queue.name() + "-other"), gateway, ScriptConnection.KEYS, 0);
        ask("holder:1:1:3000");
        LeaseTerms terms = terms(LEASE.toMillis());
        String place = waiter + ":1:1:0";
        now(several.acquire(
                new AcquireRequest(queue.name(), queue.name(), place, terms, 1, 0, 5_000, Hearing.YES, null)));

        assertThat(release("holder:1:1:3000")).isTrue();

        awaitMessages(heard, place);
    }

    @Test
    void placeThatNamesNoLeaseIsGrantedTheUsualOne() {
        String waiter = client();
        WakeChannel heard = listening(waiter);
        ask("holder:1:1");
        ask(waiter + ":1:1");

        release("holder:1:1");

        awaitMessages(heard, waiter + ":1:1 " + token());
        assertThat(server.cli().hget(queue.name(), "holdfast:lease"))
                .isEqualTo(Long.toString(OwnerId.USUAL_FIRST_LEASE_MILLIS));
    }

    @Test
    void questionThatFindsItsGrantSaysWhatIsLeftAndProlongsNothing() {
        String waiter = client();
        listening(waiter);
        ask("holder:1:1:3000");
        ask(place(waiter));
        release("holder:1:1:3000");

        Answer.Granted found = (Answer.Granted) ask(place(waiter));

        assertThat(found.grant().firstToken()).isEqualTo(Long.parseLong(token()));
        assertThat(leftMillis(found)).isBetween(1L, FIRST_LEASE);
        assertThat(server.cli().pttl(queue.name())).isBetween(1L, leftMillis(found));
    }

    @Test
    void placeThatMustAskIsToldAndNotGranted() {
        String waiter = client();
        WakeChannel heard = listening(waiter);
        String place = waiter + ":1:1:0";
        ask("holder:1:1:3000");
        ask(place);

        release("holder:1:1:3000");

        awaitMessages(heard, place);
        assertThat(server.cli().exists(queue.name())).isZero();
        assertThat(ask(place)).isInstanceOf(Answer.Granted.class);
        assertThat(queue.isGone()).isTrue();
    }

    @Test
    void placeThatWasToldToAskAndLeavesPassesTheFreeLockOn() {
        String leaving = client() + ":1:1:0";
        String next = client();
        listening(leaving.substring(0, leaving.indexOf(':')));
        WakeChannel heard = listening(next);
        ask("holder:1:1:3000");
        ask(leaving);
        ask(place(next));
        release("holder:1:1:3000");
        assertThat(server.cli().exists(queue.name())).isZero();

        assertThat(release(leaving)).isFalse();

        assertThat(server.cli().hget(queue.name(), place(next))).isEqualTo("1");
        // The one behind a place that may be refused is told, too.
        awaitMessages(heard, place(next), place(next) + " " + token());
    }

    @Test
    void minimumHoldTellsTheFirstAndGrantsNothing() {
        String waiter = client();
        WakeChannel heard = listening(waiter);
        ask("holder:1:1:3000");
        ask(place(waiter));

        assertThat(release("holder:1:1:3000", 2_000)).isTrue();

        awaitMessages(heard, place(waiter));
        assertThat(server.cli().hkeys(queue.name())).contains("holder:1:1:3000:0");
        assertThat(server.cli().pttl(queue.name())).isBetween(1L, 2_000L);
        assertThat(queue.owners()).containsExactly(place(waiter));
    }

    /** The bound beside Redisson: of four releases that its clients hear, one leaves the lock to them. */
    @Test
    void everyFourthReleaseLeavesTheLockFreeWhereRedissonListens() {
        WakeChannel redisson = WakeChannel.ofRedisson(server, queue.name());
        listeners.add(redisson);
        List<String> places = new ArrayList<>();
        ask("holder:1:1:3000");
        for (int i = 0; i < 5; i++) {
            String client = client();
            listening(client);
            places.add(place(client));
            ask(place(client));
        }

        release("holder:1:1:3000");
        for (int i = 0; i < 3; i++) {
            assertThat(server.cli().hget(queue.name(), places.get(i)))
                    .as("granted")
                    .isEqualTo("1");
            release(places.get(i));
        }
        assertThat(server.cli().exists(queue.name())).as("left free").isZero();
        assertThat(queue.owners()).containsExactlyElementsOf(places.subList(3, 5));
        awaitMessages(redisson, "0", "0", "0", "0");
    }

    @Test
    void waiterStandsBackFromALockThatIsLeftToRedisson() {
        Await.until("a question came in time", TwoClients.PATIENCE, () -> {
            queue.leaveToRedisson();
            String owner = place(client());
            boolean stoodBack = ask(owner) instanceof Answer.Busy;
            release(owner);
            return stoodBack;
        });
    }

    @Test
    void tryWithoutAWaitTakesALockThatIsLeftToRedisson() {
        queue.leaveToRedisson();

        assertThat(ask("tries:1:1:3000", false)).isInstanceOf(Answer.Granted.class);
    }

    /** No end that it has set is that far away: the server's clock was set back. */
    @Test
    void lockIsLeftToRedissonForAMomentOnly() {
        server.cli().zadd(queue.deadlines(), queue.now() + 60_000, "redisson");

        assertThat(ask("waits:1:1:3000")).isInstanceOf(Answer.Granted.class);
        assertThat(queue.isGone()).isTrue();
    }

    @Test
    void queueThatADeadFleetLeftIsGoneWithTheNextRequestsAfterItsDeadlinesAndByItselfInAnyCase() {
        ask("holder:1:1:3000");
        List<String> fleet = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            fleet.add(place(client()));
            ask(fleet.get(i));
        }
        server.cli().del(queue.name());
        long longest = Duration.ofMinutes(10).toMillis() + 5_000;
        assertThat(server.cli().pttl(queue.list())).isBetween(1L, longest);
        assertThat(server.cli().pttl(queue.deadlines())).isBetween(1L, longest);
        fleet.forEach(dead -> server.cli().zadd(queue.deadlines(), 1, dead));

        assertThat(ask("next:1:1:3000")).isInstanceOf(Answer.Granted.class);
        assertThat(queue.owners()).as("one script looks at 64").hasSize(36);
        release("next:1:1:3000");

        assertThat(queue.isGone()).isTrue();
    }

    /** Dead places behind a living head are cleared from its queue, too, two for each that enters. */
    @Test
    void deadPlacesBehindALivingHeadGoAsOthersEnter() {
        String head = client();
        ask("holder:1:1:3000");
        ask(place(head));
        for (int i = 0; i < 6; i++) {
            String dead = place(client());
            ask(dead);
            server.cli().zadd(queue.deadlines(), 1, dead);
        }

        for (int i = 0; i < 3; i++) {
            ask(place(client()));
        }

        assertThat(queue.owners()).hasSize(4).startsWith(place(head));
        assertThat(server.cli().zcard(queue.deadlines())).isEqualTo(4);
    }

    @Test
    void singleTryLeavesNoPlace() {
        ask("holder:1:1:3000");

        Answer.Busy refused = (Answer.Busy) ask("try:1:1:3000", false);

        assertThat(refused.holder()).isEqualTo("holder:1:1:3000");
        assertThat(queue.isGone()).isTrue();
    }

    /** A holder that was granted the lock releases it and asks again, behind others. */
    @Test
    void turnOfABusyLockTakesTheseCommands() {
        try (RedisServer own = RedisServer.start();
                WakeChannel first = WakeChannel.of(own, "first");
                WakeChannel second = WakeChannel.of(own, "second");
                ScriptConnection ownConnection = new ScriptConnection(own)) {
            PlainProtocol plain =
                    new PlainProtocol(ownConnection.gateway, ScriptConnection.KEYS, 0, LockKind.REENTRANT);
            String next = "second:1:1:60000";
            for (String owner : List.of("holder:1:1:60000", "first:1:1:60000", next)) {
                now(plain.acquire(question(owner)));
            }
            now(plain.release(new ReleaseRequest("turns", "holder:1:1:60000", 0, 0)));

            Map<String, Long> release =
                    inner(own, () -> now(plain.release(new ReleaseRequest("turns", "first:1:1:60000", 0, 0))));
            Map<String, Long> refusal = inner(own, () -> now(plain.acquire(question("first:1:2:60000"))));

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

    private static AcquireRequest question(String owner) {
        return new AcquireRequest("turns", "turns", owner, terms(60_000), 1, 0, 60_000, Hearing.YES, null);
    }

    /** What a script calls. The server counts that under the commands' own names. */
    private static Map<String, Long> inner(RedisServer own, Runnable script) {
        own.resetStats();
        script.run();
        return called(own);
    }

    private static Map<String, Long> called(RedisServer own) {
        Map<String, Long> calls = new HashMap<>(own.commandStats());
        calls.keySet().removeAll(NOT_CALLED);
        return calls;
    }

    @Test
    void costOfAQuestionDoesNotGrowWithTheQueue() {
        Map<String, Long> few = commandsOfOneQuestionBehind(100);
        assertThat(commandsOfOneQuestionBehind(2_000)).isEqualTo(few);
    }

    private Map<String, Long> commandsOfOneQuestionBehind(int places) {
        try (RedisServer own = RedisServer.start()) {
            FairQueue longQueue = new FairQueue(own, "long");
            own.cli().hset("long", "holder:1:1:3000", "1");
            own.cli().pexpire("long", 30_000);
            for (int i = 0; i < places; i++) {
                longQueue.plant("other:1:" + i + ":3000", Duration.ofMinutes(1));
            }
            ScriptConnection ownConnection = new ScriptConnection(own);
            LeaseTerms terms = terms(LEASE.toMillis());
            PlainProtocol fair = new PlainProtocol(ownConnection.gateway, ScriptConnection.KEYS, 0, LockKind.REENTRANT);
            now(fair.acquire(
                    new AcquireRequest("long", "long", "asker:1:1:3000", terms, 1, 0, 5_000, Hearing.YES, null)));
            own.resetStats();
            now(fair.acquire(
                    new AcquireRequest("long", "long", "asker:1:1:3000", terms, 1, 0, 5_000, Hearing.YES, null)));
            Map<String, Long> calls = called(own);
            ownConnection.close();
            return calls;
        }
    }
}

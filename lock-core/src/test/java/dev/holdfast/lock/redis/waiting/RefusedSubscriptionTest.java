package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.LeastRights;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A user who may not subscribe waits all the same: by asking, soon at first and then ever more rarely. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedSubscriptionTest {

    private static final int TURNS = 4;

    private final LogLines log = LogLines.record();
    private final RedisServer server = RedisServer.start();
    private LockClient holder;
    private LockClient deaf;

    @BeforeEach
    void start() throws InterruptedException {
        LeastRights.grant(server, LeastRights.USER, "");
        holder = client(LeastRights.USER);
        LeastRights.grant(server, "deaf", "+subscribe");
        deaf = client("deaf");
        deaf.getLock("warm").lock();
        deaf.getLock("warm").unlock();
    }

    /** Its polls are so far apart that a waiter who slept to the next one would fail every test here. */
    private LockClient client(String user) {
        return Waits.client(RedisSource.of(server.uri(user, LeastRights.PASSWORD)))
                .keyPrefix(TwoClients.PREFIX)
                .pollInterval(Duration.ofSeconds(30))
                .build();
    }

    @AfterEach
    void end() {
        log.close();
        deaf.close();
        holder.close();
        server.close();
    }

    /** Two others always want it: a release that looks for a listener always finds one. */
    @ParameterizedTest
    @EnumSource(
            value = LockKind.class,
            names = {"REENTRANT", "FAIR", "WRITE"})
    void clientGetsItsTurnsBesideClientsThatHear(LockKind kind) throws Exception {
        try (LockClient other = client(LeastRights.USER)) {
            assertThat(turnsBeside(deaf, other, kind, TURNS)).isEqualTo(TURNS);
        }
    }

    /** The same while the connection for messages is down and that for commands works. */
    @ParameterizedTest
    @EnumSource(
            value = LockKind.class,
            names = {"REENTRANT", "FAIR", "WRITE"})
    void clientGetsItsTurnsWhileItsMessagesAreDown(LockKind kind) throws Exception {
        LeastRights.grant(server, "cut", "");
        try (LockClient other = client(LeastRights.USER);
                LockClient cut = client("cut")) {
            Lease held = Waits.held(holder, "warm");
            CompletableFuture<Lease> wanted = Waits.wanted(cut, "warm");
            FairQueue queue = new FairQueue(server, TwoClients.PREFIX + "warm");
            queue.awaitLength(1);
            queue.awaitHearing();
            // The connection for commands stays, and no other one can be opened.
            server.cli().aclSetuser("cut", AclSetuserArgs.Builder.resetpass());
            server.cli().clientKill(KillArgs.Builder.typePubsub().user("cut"));
            held.close();
            Waits.get(wanted).close();

            assertThat(turnsBeside(cut, other, kind, TURNS)).isEqualTo(TURNS);
        }
    }

    /** How many turns the third client gets of so many, beside two that always want the lock. */
    private int turnsBeside(LockClient third, LockClient other, LockKind kind, int wanted) throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        List<Thread> busy = new ArrayList<>();
        AtomicInteger ofHolder = new AtomicInteger();
        AtomicInteger ofOther = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            busy.add(takingTurns(holder, kind, ofHolder, ended));
            busy.add(takingTurns(other, kind, ofOther, ended));
        }
        try {
            Await.until("both take turns", Waits.LONG, () -> ofHolder.get() > 100 && ofOther.get() > 100);
            int turns = 0;
            while (turns < wanted && third.getLock("turns", kind).tryLock(Duration.ofSeconds(10))) {
                third.getLock("turns", kind).unlock();
                turns++;
            }
            return turns;
        } finally {
            ended.set(true);
            for (Thread thread : busy) {
                thread.join();
            }
        }
    }

    private static Thread takingTurns(LockClient client, LockKind kind, AtomicInteger turns, AtomicBoolean ended) {
        Thread thread = new Thread(() -> {
            while (!ended.get()) {
                client.getLock("turns", kind).lock();
                Pause.of(Duration.ofMillis(1));
                client.getLock("turns", kind).unlock();
                turns.incrementAndGet();
            }
        });
        thread.start();
        return thread;
    }

    @Test
    void releasesAreFoundSoonAndOneLineIsLoggedForAllLocks() {
        List<Lease> held = new ArrayList<>();
        List<CompletableFuture<Lease>> wanted = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            held.add(Waits.held(holder, "many-" + i));
            wanted.add(Waits.wanted(deaf, "many-" + i));
        }
        for (int i = 0; i < 20; i++) {
            TwoClients.awaitWaiters(deaf, "many-" + i, 1);
        }
        long released = System.nanoTime();
        held.forEach(Lease::close);
        wanted.forEach(next -> Waits.get(next).close());

        Waits.assertSoon(released, Duration.ZERO);
        assertThat(log.warningsThat(line -> line.contains("refuses subscriptions")))
                .hasSize(1);
    }
}

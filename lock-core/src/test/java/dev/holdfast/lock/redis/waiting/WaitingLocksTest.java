package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.redis.ClientAccess;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who shows as waiting in a client, for each kind of lock and way of asking. */
@Timeout(Await.TEST_SECONDS)
class WaitingLocksTest {

    private static final String PREFIX = "shown:";

    @AutoClose
    private static LockClient here;

    @AutoClose
    private static LockClient there;

    @BeforeAll
    static void start() {
        here = client();
        there = client();
    }

    private final String name = Waits.name("waited-for");
    private final List<CompletableFuture<Lease>> asked = new ArrayList<>();
    private final List<ScriptedThread> scripteds = new ArrayList<>();
    private final List<Lease> held = new ArrayList<>();

    private static LockClient client() {
        return Waits.client(RedisServer.shared()).keyPrefix(PREFIX).build();
    }

    @AfterEach
    void leave() {
        asked.forEach(future -> future.cancel(false));
        scripteds.forEach(ScriptedThread::close);
        awaitWaiting(0);
        held.forEach(Lease::close);
    }

    private static List<WaitingLock> awaitWaiting(int count) {
        Await.until(
                count + " wait",
                TwoClients.PATIENCE,
                () -> here.waitingLocks().size() == count && here.statistics().waiting() == count);
        return here.waitingLocks();
    }

    /** Asks in a thread of that name, which waits until it is interrupted. */
    private void waits(LeaseLock lock, String thread) {
        ScriptedThread scripted = new ScriptedThread();
        scripted.thread().setName(thread);
        scripteds.add(scripted);
        scripted.start(() -> {
            lock.lockInterruptibly();
            return lock;
        });
    }

    private void asks(LeaseLock lock) {
        asked.add(lock.acquireAsync(Waits.waiting(Waits.LONG)).toCompletableFuture());
    }

    /** What keeps others from the lock, held elsewhere. */
    private void isHeld(String lockName, LockKind kind) {
        held.add(there.getLock(lockName, kind == LockKind.READ ? LockKind.WRITE : kind)
                .acquire());
    }

    @ParameterizedTest
    @EnumSource(
            value = LockKind.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SEMAPHORE", "FAIR_SEMAPHORE"})
    void threadsThatWaitShowWithTheirLockInTheOrderInWhichTheyCame(LockKind kind) {
        isHeld(name, kind);
        waits(here.getLock(name, kind), "first");
        awaitWaiting(1);
        waits(here.getLock(name, kind), "second");
        List<WaitingLock> shown = awaitWaiting(2);

        assertThat(shown)
                .allSatisfy(waiting -> {
                    assertThat(waiting.lockName()).isEqualTo(name);
                    assertThat(waiting.kind()).isEqualTo(kind);
                    assertThat(waiting.waited()).isBetween(Duration.ofNanos(1), TwoClients.PATIENCE);
                })
                .extracting(WaitingLock::thread)
                .containsExactly("first", "second");
        assertThat(there.waitingLocks()).isEmpty();
    }

    @Test
    void whoHasWaitedLongestComesFirstWhicheverLockItWaitsForWithTheThreadThatAsked() {
        String other = Waits.name("other");
        isHeld(name, LockKind.REENTRANT);
        isHeld(other, LockKind.REENTRANT);
        for (int i = 0; i < 3; i++) {
            asks(here.getLock(i % 2 == 0 ? other : name));
            awaitWaiting(i + 1);
        }
        assertThat(here.waitingLocks())
                .isSortedAccordingTo(Comparator.comparing(WaitingLock::waited).reversed())
                .allMatch(waiting ->
                        waiting.thread().equals(Thread.currentThread().getName()))
                .extracting(WaitingLock::lockName)
                .containsExactly(other, name, other);
    }

    @Test
    void severalNamesThatAreOneLockShowTogether() {
        String second = name + "-2";
        isHeld(second, LockKind.REENTRANT);
        asks(here.getMultiLock(List.of(second, name)));
        assertThat(awaitWaiting(1))
                .singleElement()
                .extracting(WaitingLock::lockName)
                .isEqualTo("[" + name + ", " + second + "]");
    }

    @Test
    void lockMadeOfLocksShowsAsTheOneThatIsWaitedFor() {
        String second = name + "-2";
        isHeld(second, LockKind.REENTRANT);
        asks(MultiLock.of(List.of(here.getLock(name), here.getLock(second, LockKind.REENTRANT))));
        Await.until(
                "it has the first and waits for the second",
                TwoClients.PATIENCE,
                () -> here.heldLocks().stream().anyMatch(own -> own.lockName().equals(name))
                        && here.waitingLocks().stream()
                                .map(WaitingLock::lockName)
                                .toList()
                                .equals(List.of(second)));
    }

    @Test
    void whoGotTheLockOrWasRefusedOrGaveUpShowsNoLonger() {
        isHeld(name, LockKind.REENTRANT);
        assertThat(here.getLock(name).tryAcquire(Waits.waiting(Duration.ofMillis(30))))
                .isEmpty();
        assertThat(awaitWaiting(0)).as("one was refused").isEmpty();

        asks(here.getLock(name));
        asks(here.getLock(name));
        awaitWaiting(2);
        asked.get(0).cancel(false);
        assertThat(awaitWaiting(1)).as("one gave up").hasSize(1);
        held.remove(0).close();
        Lease got = Waits.get(asked.get(1));
        assertThat(awaitWaiting(0)).as("one got it").isEmpty();
        got.close();
    }

    @Test
    void snapshotIsBoundedAndShowsThoseWhoCameFirst() {
        isHeld(name, LockKind.REENTRANT);
        waits(here.getLock(name), "first");
        awaitWaiting(1);
        for (int i = 0; i < ClientAccess.MOST_SHOWN; i++) {
            asks(here.getLock(name));
        }
        int all = ClientAccess.MOST_SHOWN + 1;
        Await.until("all wait", TwoClients.PATIENCE, () -> here.statistics().waiting() == all);
        assertThat(here.waitingLocks())
                .hasSize(ClientAccess.MOST_SHOWN)
                .first()
                .extracting(WaitingLock::thread)
                .isEqualTo("first");
    }
}

package dev.holdfast.lock.internal.deadlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that wait for each other's locks are named after ten seconds, on a clock that the test moves, and nobody else is. */
@Timeout(Await.TEST_SECONDS)
class DeadlockTest {

    /** So many requests that Redis answers all of them within the command timeout, also on a busy machine. */
    private static final int AT_ONCE = 100;

    private static final String NOTES = "holdfast:client:*:*";

    private final AtomicLong passed = new AtomicLong();
    private final LongAdder clockReadings = new LongAdder();
    private final LongAdder clockReadingsOnEventLoops = new LongAdder();
    private final List<ScriptedThread> threads = new ArrayList<>();
    private final String x = Waits.name("x");
    private final String y = Waits.name("y");
    private final String z = Waits.name("z");
    private RedisServer server;
    private LogLines log;
    private LockClient here;
    private LockClient there;

    @BeforeEach
    void start() {
        log = LogLines.record();
        server = RedisServer.start();
        here = client("here");
        there = client("there");
    }

    @AfterEach
    void stop() {
        threads.forEach(ScriptedThread::close);
        here.close();
        there.close();
        server.close();
        log.close();
    }

    private LockClient client(String name) {
        return Waits.client(server)
                .clientName(name)
                .watchdogTimeout(Duration.ofMinutes(5))
                .pollInterval(Duration.ofMillis(100))
                .clock(this::now)
                .build();
    }

    /** Counts its calls, since each look at a lease reads the clock. */
    private long now() {
        clockReadings.increment();
        if (Thread.currentThread().getName().startsWith("lettuce-")) {
            clockReadingsOnEventLoops.increment();
        }
        return System.nanoTime() + passed.get();
    }

    private ScriptedThread thread(String name) {
        ScriptedThread thread = new ScriptedThread();
        thread.thread().setName(name);
        threads.add(thread);
        return thread;
    }

    /** Lets ten seconds pass. Each room notices with the answer to its next request. */
    private void tenSeconds() {
        passed.addAndGet(Duration.ofSeconds(10).toNanos());
    }

    private static List<String> deadlocks(LockClient client) {
        return client.waitingLocks().stream()
                .map(WaitingLock::deadlock)
                .filter(Objects::nonNull)
                .toList();
    }

    private void awaitWaiters(int count) {
        Await.until(
                count + " wait",
                TwoClients.PATIENCE,
                () -> here.statistics().waiting() + there.statistics().waiting() == count && polls() >= count);
    }

    private long polls() {
        return here.statistics().wakeUpsByPoll() + there.statistics().wakeUpsByPoll();
    }

    private void awaitPolls(int count) {
        long before = polls();
        Await.until("they ask again", TwoClients.PATIENCE, () -> polls() >= before + count);
    }

    private void awaitNotes(int count) {
        Await.until(
                count + " notes",
                TwoClients.PATIENCE,
                () -> server.cli().keys(NOTES).size() == count);
    }

    private void awaitDeadlocks(int inHere, int inThere) {
        Await.until(
                "the circle is named in both",
                TwoClients.PATIENCE,
                () -> deadlocks(here).size() == inHere && deadlocks(there).size() == inThere);
    }

    @Test
    void twoThreadsOfOneClientAreNamed() throws Exception {
        ScriptedThread a = thread("a");
        ScriptedThread b = thread("b");
        a.run(here.getLock(x)::lock);
        b.run(here.getLock(y)::lock);
        a.start(() -> here.getLock(y).tryLock(Waits.LONG));
        b.start(() -> here.getLock(x).tryLock(Waits.LONG));
        awaitWaiters(2);
        assertThat(server.cli().keys(NOTES)).as("before ten seconds").isEmpty();
        assertThat(deadlocks(here)).isEmpty();
        tenSeconds();
        awaitNotes(2);
        tenSeconds();
        awaitDeadlocks(2, 0);
        assertThat(deadlocks(here))
                .containsExactlyInAnyOrder(
                        "thread 'a' waits for lock '" + y + "', held by thread 'b' of 'here', which waits for lock '"
                                + x + "', held by thread 'a'",
                        "thread 'b' waits for lock '" + x + "', held by thread 'a' of 'here', which waits for lock '"
                                + y + "', held by thread 'b'");
        assertThat(log.warningsThat(line -> line.startsWith("Deadlock: "))).hasSize(2);
    }

    @Test
    void threadsOfSeveralClientsAreNamedAndForgottenWithTheirWaits() throws Exception {
        ScriptedThread a = thread("a");
        ScriptedThread b = thread("b");
        ScriptedThread c = thread("c");
        Lease held =
                a.call(() -> here.getLock(x).acquire(AcquireOptions.defaults().keptByThread()));
        b.run(there.getLock(y, LockKind.WRITE)::lock);
        c.run(there.getFairLock(z)::lock);
        a.start(() -> here.getLock(y, LockKind.READ).tryLock(Waits.LONG));
        b.start(() -> there.getFairLock(z).tryLock(Waits.LONG));
        var last = c.start(() -> there.getLock(x).tryLock(Waits.LONG));
        awaitWaiters(3);
        tenSeconds();
        awaitNotes(3);
        tenSeconds();
        awaitDeadlocks(1, 2);
        assertThat(deadlocks(here))
                .containsExactly("thread 'a' waits for lock '" + y
                        + "', held by thread 'b' of 'there', which waits for lock '" + z
                        + "', held by thread 'c' of 'there', which waits for lock '" + x + "', held by thread 'a'");
        c.thread().interrupt();
        Await.until("the wait has ended", TwoClients.PATIENCE, last::isDone);
        awaitNotes(2);
        tenSeconds();
        awaitDeadlocks(0, 0);
        assertThat(held.isHeld()).isTrue();
    }

    /** The other thread gives up, and comes back while this one waits on. */
    @Test
    void circleThatIsFoundAgainInTheSameWaitIsLoggedOnce() throws Exception {
        ScriptedThread a = thread("a");
        ScriptedThread b = thread("b");
        a.run(here.getLock(x)::lock);
        b.run(there.getLock(y)::lock);
        a.start(() -> here.getLock(y).tryLock(Waits.LONG));
        var first = b.start(() -> there.getLock(x).tryLock(Waits.LONG));
        awaitWaiters(2);
        tenSeconds();
        awaitNotes(2);
        tenSeconds();
        awaitDeadlocks(1, 1);
        b.thread().interrupt();
        Await.until("the wait has ended", TwoClients.PATIENCE, first::isDone);
        awaitNotes(1);
        tenSeconds();
        awaitDeadlocks(0, 0);

        b.start(() -> there.getLock(x).tryLock(Waits.LONG));
        awaitWaiters(2);
        awaitPolls(6);
        tenSeconds();
        awaitNotes(2);
        tenSeconds();
        awaitDeadlocks(1, 1);

        assertThat(log.warningsThat(line -> line.startsWith("Deadlock: thread 'a'")))
                .hasSize(1);
        assertThat(log.warningsThat(line -> line.startsWith("Deadlock: thread 'b'")))
                .as("one for each of its waits")
                .hasSize(2);
    }

    @Test
    void threadThatWaitsForItselfIsNamed() {
        ScriptedThread a = thread("a");
        a.start(() -> {
            here.getLock(x).lock();
            return here.getMultiLock(List.of(x, y)).tryLock(Waits.LONG);
        });
        awaitWaiters(1);
        tenSeconds();
        awaitDeadlocks(1, 0);
        assertThat(deadlocks(here))
                .singleElement()
                .asString()
                .startsWith("thread 'a' waits for lock '[" + x)
                .endsWith(", held by thread 'a'");
    }

    @Test
    void holderThatDoesNotWaitIsNoCircle() throws Exception {
        ScriptedThread a = thread("a");
        ScriptedThread b = thread("b");
        a.run(here.getLock(x)::lock);
        b.run(there.getLock(y)::lock);
        // Re-entered, and it waits for the third lock for a moment only.
        b.run(there.getLock(y)::lock);
        a.start(() -> here.getLock(y).tryLock(Waits.LONG));
        assertThat(b.call(() -> there.getLock(x).tryLock(Duration.ofMillis(50))))
                .isFalse();
        awaitWaiters(1);
        twoChecks(1);
        assertThat(deadlocks(here)).isEmpty();
    }

    @Test
    void readersAndPermitsAreNoCircle() throws Exception {
        ScriptedThread a = thread("a");
        ScriptedThread b = thread("b");
        LeaseLock shared = here.getLock(x, LockKind.READ);
        a.run(() -> {
            shared.lock();
            assertThat(here.getSemaphore(z, 1).acquire().isHeld()).isTrue();
        });
        b.run(there.getLock(y)::lock);
        a.start(() -> here.getLock(y).tryLock(Waits.LONG));
        // B has a note, since it holds its lock alone, and A has none.
        b.start(() -> there.getLock(x, LockKind.WRITE).tryLock(Waits.LONG));
        awaitWaiters(2);
        twoChecks(1);
        assertThat(deadlocks(here)).isEmpty();
        assertThat(deadlocks(there)).isEmpty();
    }

    @Test
    void leaseThatAnotherThreadIsToReleaseIsNoCircle() throws Exception {
        ScriptedThread a = thread("a");
        ScriptedThread b = thread("b");
        Lease given = a.call(() -> here.getLock(x).acquire());
        b.run(there.getLock(y)::lock);
        a.start(() -> here.getLock(y).tryLock(Waits.LONG));
        CompletableFuture<Boolean> served = b.start(() -> there.getLock(x).tryLock(Waits.LONG));
        awaitWaiters(2);
        tenSeconds();
        awaitPolls(6);
        tenSeconds();
        awaitPolls(6);
        assertThat(deadlocks(here)).isEmpty();
        assertThat(deadlocks(there)).isEmpty();
        assertThat(server.cli().keys(NOTES)).as("the note of b alone").hasSize(1);
        given.close();
        Await.until("the other thread goes on", TwoClients.PATIENCE, served::isDone);
        assertThat(served.join()).isTrue();
    }

    @Test
    void leasesAreSearchedOnceForAllWaitsAndNotOnAnEventLoop() throws Exception {
        int leases = 3_000;
        int waits = 20;
        for (int i = 0; i < leases; i += AT_ONCE) {
            List<CompletableFuture<Lease>> held = IntStream.range(i, i + AT_ONCE)
                    .mapToObj(each -> here.getLock(x + each)
                            .acquireAsync(Waits.waiting(Waits.LONG))
                            .toCompletableFuture())
                    .toList();
            held.forEach(CompletableFuture::join);
        }
        for (int i = 0; i < waits; i++) {
            String wanted = y + i;
            assertThat(there.getLock(wanted).tryAcquire()).isPresent();
            ScriptedThread waiting = thread("waiting-" + i);
            waiting.run(here.getLock(z + i)::lock);
            waiting.start(() -> here.getLock(wanted).tryLock(Waits.LONG));
        }
        awaitWaiters(waits);
        clockReadings.reset();
        clockReadingsOnEventLoops.reset();
        tenSeconds();
        // A request that is under way when ten seconds pass has no answer in time, and its room asks again.
        Await.until(
                "nearly all have notes",
                TwoClients.PATIENCE,
                () -> server.cli().keys(NOTES).size() >= waits * 3 / 4);
        assertThat(clockReadings.sum()).isLessThan(leases * waits / 3);
        assertThat(clockReadingsOnEventLoops.sum()).isLessThan(leases * waits / 4);
    }

    @Test
    void callsWithAStageBlockNobody() throws Exception {
        ScriptedThread a = thread("a");
        ScriptedThread b = thread("b");
        a.run(here.getLock(x)::lock);
        AcquireOptions waiting = Waits.waiting(Waits.LONG);
        Lease held = b.call(() ->
                there.getLock(y).acquireAsync(waiting).toCompletableFuture().join());
        a.start(() -> here.getLock(y).acquireAsync(waiting));
        b.start(() -> there.getLock(x).tryLock(Waits.LONG));
        awaitWaiters(2);
        tenSeconds();
        awaitPolls(4);
        assertThat(server.cli().keys(NOTES)).isEmpty();
        assertThat(held.isHeld()).isTrue();
    }

    /** When a note that was deleted is there again, the check before has ended: one connection keeps the order. */
    private void twoChecks(int notes) {
        tenSeconds();
        awaitNotes(notes);
        server.cli().del(server.cli().keys(NOTES).toArray(String[]::new));
        tenSeconds();
        awaitNotes(notes);
    }
}

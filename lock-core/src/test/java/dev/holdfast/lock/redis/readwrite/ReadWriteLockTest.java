package dev.holdfast.lock.redis.readwrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.ReadWriteClients;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many readers or one writer, and what a thread may do that is both. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadWriteLockTest {

    private final ReadWriteClients clients = new ReadWriteClients();
    private final ScriptedThread other = new ScriptedThread();

    @AfterEach
    void close() {
        other.close();
        clients.close();
    }

    @Test
    void writersOwnReadWaitsForNoReaderOfItsClient() throws Exception {
        clients.writeHere().lock();
        var waiting = clients.waits(other, clients.here, LockKind.READ);

        // Behind the other it would wait for one that waits for it.
        assertThat(clients.readHere().tryLock(ReadWriteClients.PATIENCE)).isTrue();

        assertThat(waiting).isNotDone();
        clients.readHere().unlock();
        clients.writeHere().unlock();
        assertThat(ScriptedThread.outcome(waiting)).isTrue();
        other.run(() -> clients.readHere().unlock());
    }

    /** A value may be handed to anybody, so nothing would stop its holder when the writer passes the lock on. */
    @Test
    void leaseAsAValueIsNotReadBesideItsThreadsWrite() {
        clients.writeHere().lock();
        AcquireOptions once = AcquireOptions.defaults().waitAtMost(Duration.ZERO);

        assertThat(clients.readHere().tryAcquire(once)).isEmpty();
        assertThat(clients.readHere().tryAcquire(once.boundTo(Thread.currentThread())))
                .isEmpty();

        clients.writeHere().unlock();
    }

    @ParameterizedTest
    @EnumSource(
            value = LockKind.class,
            names = {"READ", "WRITE"})
    void waitingReadersComeInAtOnceWhenAWriterGoesOnAsAReader(LockKind first) throws Exception {
        try (ScriptedThread third = new ScriptedThread()) {
            clients.writeHere().lock();
            clients.readHere().lock();
            var sameClient = clients.waits(other, clients.here, LockKind.READ);
            var otherClient = clients.waits(third, clients.there, LockKind.READ);
            long unlocked = System.nanoTime();

            (first == LockKind.WRITE ? clients.writeHere() : clients.readHere()).unlock();
            (first == LockKind.WRITE ? clients.readHere() : clients.writeHere()).unlock();

            assertThat(ScriptedThread.outcome(sameClient)).isTrue();
            assertThat(ScriptedThread.outcome(otherClient)).isTrue();
            Waits.assertSoon(unlocked, Duration.ZERO);
            other.run(() -> clients.readHere().unlock());
            third.run(() -> clients.readThere().unlock());
        }
    }

    private String owner() {
        return clients.here.inspect(clients.name).orElseThrow().owner();
    }

    @Test
    void writerHandsTheLockOverToTheNextOfItsClient() throws Exception {
        clients.writeHere().lock();
        String owner = owner();
        long token = clients.writeHere().fencingToken();
        var waiting = clients.waits(other, clients.here, LockKind.WRITE);

        clients.writeHere().unlock();

        assertThat(ScriptedThread.outcome(waiting)).isTrue();
        // One grant in Redis, another holder.
        assertThat(owner()).isEqualTo(owner);
        assertThat(other.call(() -> clients.writeHere().fencingToken())).isEqualTo(token + 1);
        other.run(() -> clients.writeHere().unlock());
        assertThat(clients.keys()).isEmpty();
    }

    @Test
    void writerThatGoesOnReadingKeepsTheNextWriterOfItsClientOut() throws Exception {
        clients.writeHere().lock();
        clients.readHere().lock();
        var waiting = clients.waits(other, clients.here, LockKind.WRITE);

        clients.writeHere().unlock();

        assertThat(clients.here.inspect(clients.name).orElseThrow().kind()).isEqualTo(LockKind.READ);
        assertThat(waiting).isNotDone();
        clients.readHere().unlock();
        assertThat(ScriptedThread.outcome(waiting)).isTrue();
        other.run(() -> clients.writeHere().unlock());
    }

    @Test
    void writerThatWasHandedTheLockMayReadAsWell() throws Exception {
        clients.writeHere().lock();
        var waiting = clients.waits(other, clients.here, LockKind.WRITE);
        clients.writeHere().unlock();
        assertThat(ScriptedThread.outcome(waiting)).isTrue();

        assertThat(other.call(() -> clients.readHere().tryLock())).isTrue();

        assertThat(clients.readThere().tryLock()).isFalse();
        other.run(() -> clients.writeHere().unlock());
        assertThat(clients.readThere().tryLock()).isTrue();
        clients.readThere().unlock();
        other.run(() -> clients.readHere().unlock());
    }

    @Test
    void readerThatAsksToWriteIsRefusedAtOnce() {
        clients.readHere().lock();

        List<ScriptedThread.Task> forms = List.of(
                () -> clients.writeHere().lock(),
                () -> clients.writeHere().lock(Duration.ofSeconds(1)),
                () -> clients.writeHere().lockInterruptibly(),
                () -> clients.writeHere().tryLock(1, TimeUnit.MINUTES),
                () -> clients.writeHere().tryLock(Duration.ofMinutes(1)),
                () -> clients.writeHere().tryLock(Duration.ofMinutes(1), Duration.ofSeconds(1)));

        assertThat(forms)
                .allSatisfy(form -> assertThatThrownBy(form::run)
                        .isInstanceOf(IllegalMonitorStateException.class)
                        .hasMessageContaining(clients.name)
                        .hasMessageContaining("unlock the read lock first"));
        assertThat(clients.writeHere().tryLock()).isFalse();
        clients.readHere().unlock();
        assertThat(clients.writeHere().tryLock()).isTrue();
        clients.writeHere().unlock();
    }

    @Test
    void extensionOfOneReaderIsNoneOfTheOthers() {
        Duration lease = Duration.ofSeconds(1);
        Lease shorter = clients.readHere().acquire(AcquireOptions.defaults().lease(lease));
        Lease longer = clients.readThere().acquire(AcquireOptions.defaults().lease(lease));

        longer.extend(Duration.ofSeconds(30));

        assertThat(shorter.remaining()).isLessThan(lease);
        assertThat(longer.remaining()).isGreaterThan(Duration.ofSeconds(20));
        assertThat(clients.server.cli().pttl(clients.name)).isGreaterThan(20_000);
        longer.close();
        assertThat(clients.server.cli().pttl(clients.name)).isLessThanOrEqualTo(1_000);
        shorter.close();
    }

    @Test
    void minimumHoldOfAReaderKeepsWritersOutAndReadersNot() {
        Duration least = Duration.ofMillis(900);
        long began = System.nanoTime();
        clients.readHere().acquire(AcquireOptions.defaults().minHold(least)).close();

        assertThat(clients.writeThere().tryLock()).isFalse();
        assertThat(clients.readThere().tryLock()).isTrue();
        clients.readThere().unlock();
        clients.writeThere()
                .acquire(AcquireOptions.defaults().waitAtMost(ReadWriteClients.PATIENCE))
                .close();

        assertThat(Waits.millisSince(began)).isGreaterThanOrEqualTo(least.toMillis() - 5);
        Waits.assertSoon(began, least);
    }

    @Test
    void readerThatWillNotWaitIsNotRefusedBecauseAnotherCameIn() {
        AtomicInteger refused = new AtomicInteger();
        CyclicBarrier start = new CyclicBarrier(8);
        assertThat(IntStream.range(0, 8)
                        .mapToObj(i ->
                                CompletableFuture.runAsync(() -> readOften(start, refused), CriticalSection::onThread))
                        .toList())
                .allSatisfy(reader -> assertThat(reader).succeedsWithin(Waits.LONG));
        assertThat(refused).hasValue(0);
    }

    private void readOften(CyclicBarrier start, AtomicInteger refused) {
        LeaseLock lock = clients.readHere();
        try {
            start.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
        for (int round = 0; round < 100; round++) {
            if (lock.tryLock()) {
                lock.unlock();
            } else {
                refused.incrementAndGet();
            }
        }
    }
}

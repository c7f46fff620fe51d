package dev.holdfast.lock.redis.readwrite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.ReadWriteClients;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writers of one client hand the lock over among themselves, and never past one of them who goes on as a reader. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriterHandOverTest {

    private final ReadWriteClients clients = new ReadWriteClients();
    private final ScriptedThread next = new ScriptedThread();

    @AfterEach
    void close() {
        next.close();
        clients.close();
    }

    private String owner() {
        return clients.here.inspect(clients.name).orElseThrow().owner();
    }

    @Test
    void writerHandsTheLockOverToTheNextOfItsClient() throws Exception {
        clients.writeHere().lock();
        String owner = owner();
        long token = clients.writeHere().fencingToken();
        var waiting = clients.waits(next, clients.here, LockKind.WRITE);

        clients.writeHere().unlock();

        assertThat(ScriptedThread.outcome(waiting)).isTrue();
        // One grant in Redis, another holder.
        assertThat(owner()).isEqualTo(owner);
        assertThat(next.call(() -> clients.writeHere().fencingToken())).isEqualTo(token + 1);
        next.run(() -> clients.writeHere().unlock());
        assertThat(clients.keys()).isEmpty();
    }

    @Test
    void writerThatGoesOnReadingKeepsTheNextWriterOfItsClientOut() throws Exception {
        clients.writeHere().lock();
        clients.readHere().lock();
        var waiting = clients.waits(next, clients.here, LockKind.WRITE);

        clients.writeHere().unlock();

        assertThat(clients.here.inspect(clients.name).orElseThrow().kind()).isEqualTo(LockKind.READ);
        assertThat(waiting).isNotDone();
        clients.readHere().unlock();
        assertThat(ScriptedThread.outcome(waiting)).isTrue();
        next.run(() -> clients.writeHere().unlock());
    }

    @Test
    void writerThatWasHandedTheLockMayReadAsWell() throws Exception {
        clients.writeHere().lock();
        var waiting = clients.waits(next, clients.here, LockKind.WRITE);
        clients.writeHere().unlock();
        assertThat(ScriptedThread.outcome(waiting)).isTrue();

        assertThat(next.call(() -> clients.readHere().tryLock())).isTrue();

        assertThat(clients.readThere().tryLock()).isFalse();
        next.run(() -> clients.writeHere().unlock());
        assertThat(clients.readThere().tryLock()).isTrue();
        clients.readThere().unlock();
        next.run(() -> clients.readHere().unlock());
    }

    /** Writers of two clients that read on for a moment, and readers: nobody ever reads what a writer has begun and not finished. */
    @Test
    void nobodyIsBesideAWriterInACrowd() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        List<CompletableFuture<Void>> crowd = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            crowd.add(CompletableFuture.runAsync(
                    () -> {
                        for (int round = 0; round < 60; round++) {
                            if (number < 4) {
                                writeThenRead(number % 2 == 0, inside, wrong);
                            } else {
                                read(number % 2 == 0, inside, wrong);
                            }
                        }
                    },
                    CriticalSection::onThread));
        }
        CompletableFuture.allOf(crowd.toArray(CompletableFuture<?>[]::new)).get(50, TimeUnit.SECONDS);
        assertThat(wrong).hasValue(0);
    }

    private void writeThenRead(boolean here, AtomicInteger inside, AtomicInteger wrong) {
        var write = here ? clients.writeHere() : clients.writeThere();
        var read = here ? clients.readHere() : clients.readThere();
        write.lock();
        if (!inside.compareAndSet(0, -1)) {
            wrong.incrementAndGet();
        }
        Thread.yield();
        read.lock();
        if (!inside.compareAndSet(-1, 1)) {
            wrong.incrementAndGet();
        }
        write.unlock();
        Thread.yield();
        leave(inside, wrong);
        read.unlock();
    }

    private void read(boolean here, AtomicInteger inside, AtomicInteger wrong) {
        var read = here ? clients.readHere() : clients.readThere();
        read.lock();
        if (inside.getAndIncrement() < 0) {
            wrong.incrementAndGet();
        }
        Thread.yield();
        leave(inside, wrong);
        read.unlock();
    }

    private static void leave(AtomicInteger inside, AtomicInteger wrong) {
        if (inside.getAndDecrement() < 1) {
            wrong.incrementAndGet();
        }
    }
}

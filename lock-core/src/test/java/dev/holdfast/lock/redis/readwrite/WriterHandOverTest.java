package dev.holdfast.lock.redis.readwrite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.fixture.Actor;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.ReadWriteStage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writers of one client pass the lock on among themselves, and never past one of them who goes on as a reader. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriterHandOverTest {

    private final ReadWriteStage stage = new ReadWriteStage();
    private final Actor next = new Actor();

    @AfterEach
    void close() {
        next.close();
        stage.close();
    }

    private String owner() {
        return stage.here.inspect(stage.name).orElseThrow().owner();
    }

    @Test
    void writerPassesTheLockOnToTheNextOfItsClient() throws Exception {
        stage.writeHere().lock();
        String owner = owner();
        long token = stage.writeHere().fencingToken();
        var waiting = stage.waits(next, stage.here, LockKind.WRITE);

        stage.writeHere().unlock();

        assertThat(Actor.outcome(waiting)).isTrue();
        // One grant in Redis, another holder.
        assertThat(owner()).isEqualTo(owner);
        assertThat(next.does(() -> stage.writeHere().fencingToken())).isEqualTo(token + 1);
        next.runs(() -> stage.writeHere().unlock());
        assertThat(stage.keys()).isEmpty();
    }

    @Test
    void writerThatGoesOnReadingKeepsTheNextWriterOfItsClientOut() throws Exception {
        stage.writeHere().lock();
        stage.readHere().lock();
        var waiting = stage.waits(next, stage.here, LockKind.WRITE);

        stage.writeHere().unlock();

        assertThat(stage.here.inspect(stage.name).orElseThrow().kind()).isEqualTo(LockKind.READ);
        assertThat(waiting).isNotDone();
        stage.readHere().unlock();
        assertThat(Actor.outcome(waiting)).isTrue();
        next.runs(() -> stage.writeHere().unlock());
    }

    @Test
    void writerThatWasHandedTheLockMayReadAsWell() throws Exception {
        stage.writeHere().lock();
        var waiting = stage.waits(next, stage.here, LockKind.WRITE);
        stage.writeHere().unlock();
        assertThat(Actor.outcome(waiting)).isTrue();

        assertThat(next.does(() -> stage.readHere().tryLock())).isTrue();

        assertThat(stage.readThere().tryLock()).isFalse();
        next.runs(() -> stage.writeHere().unlock());
        assertThat(stage.readThere().tryLock()).isTrue();
        stage.readThere().unlock();
        next.runs(() -> stage.readHere().unlock());
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
        var write = here ? stage.writeHere() : stage.writeThere();
        var read = here ? stage.readHere() : stage.readThere();
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
        var read = here ? stage.readHere() : stage.readThere();
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

package dev.holdfast.lock.redis.readwrite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.fixture.Actor;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.ReadWriteStage;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A writer that waits for readers keeps new ones out, and no longer than it waits. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriterPreferenceTest {

    private final ReadWriteStage stage = new ReadWriteStage();
    private final Actor writer = new Actor();
    private final Actor reader = new Actor();

    @AfterEach
    void close() {
        writer.close();
        reader.close();
        stage.close();
    }

    @Test
    void newReadersAreKeptOutWhileAWriterWaits() throws Exception {
        stage.readHere().lock();
        var writing = stage.waits(writer, stage.there, LockKind.WRITE);
        stage.awaitMark();

        assertThat(reader.does(() -> stage.readHere().tryLock())).isFalse();
        assertThat(reader.does(() -> stage.readThere().tryLock())).isFalse();

        long left = System.nanoTime();
        stage.readHere().unlock();
        assertThat(Actor.outcome(writing)).isTrue();
        assertThat(Waits.millisSince(left)).isLessThan(Waits.SOON_MILLIS);
        writer.runs(() -> stage.writeThere().unlock());
    }

    @Test
    void readerThatReadsAlreadyReentersPastAWaitingWriter() throws Exception {
        stage.readHere().lock();
        var writing = stage.waits(writer, stage.there, LockKind.WRITE);
        stage.awaitMark();

        assertThat(stage.readHere().tryLock()).isTrue();

        stage.readHere().unlock();
        stage.readHere().unlock();
        assertThat(Actor.outcome(writing)).isTrue();
        writer.runs(() -> stage.writeThere().unlock());
    }

    @Test
    void readersThatWereKeptOutComeInAfterTheWriter() throws Exception {
        stage.readHere().lock();
        var writing = stage.waits(writer, stage.there, LockKind.WRITE);
        stage.awaitMark();
        var reading = stage.waits(reader, stage.here, LockKind.READ);

        stage.readHere().unlock();
        assertThat(Actor.outcome(writing)).isTrue();
        assertThat(stage.isMarked()).isFalse();
        assertThat(reading).isNotDone();
        long left = System.nanoTime();
        writer.runs(() -> stage.writeThere().unlock());

        assertThat(Actor.outcome(reading)).isTrue();
        assertThat(Waits.millisSince(left)).isLessThan(Waits.SOON_MILLIS);
        reader.runs(() -> stage.readHere().unlock());
    }

    @Test
    void streamOfReadersDoesNotStarveAWriter() throws Exception {
        AtomicBoolean end = new AtomicBoolean();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            LockClient client = i % 2 == 0 ? stage.here : stage.there;
            readers.add(CompletableFuture.runAsync(() -> readOn(client, end), CriticalSection::onThread));
        }
        Await.until(
                "they read", ReadWriteStage.PATIENCE, () -> stage.server.cli().exists(stage.name) == 1);

        for (int i = 0; i < 5; i++) {
            long asked = System.nanoTime();
            assertThat(stage.writeHere().tryLock(ReadWriteStage.PATIENCE)).isTrue();
            // Those who read at that moment are waited for: 10 ms each, all at once.
            assertThat(Waits.millisSince(asked)).isLessThan(Waits.SOON_MILLIS);
            stage.writeHere().unlock();
        }
        end.set(true);
        CompletableFuture.allOf(readers.toArray(CompletableFuture<?>[]::new)).get(30, TimeUnit.SECONDS);
    }

    private void readOn(LockClient client, AtomicBoolean end) {
        while (!end.get()) {
            client.getLock(stage.name, LockKind.READ).lock();
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(10);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
                Thread.yield();
            }
            client.getLock(stage.name, LockKind.READ).unlock();
        }
    }

    @Test
    void readersComeInPastAWaitingWriterWhereThatIsTurnedOff() throws Exception {
        try (LockClient first = stage.client().writersFirst(false).build();
                LockClient second = stage.client().writersFirst(false).build()) {
            first.getLock(stage.name, LockKind.READ).lock();
            var writing = stage.waits(writer, second, LockKind.WRITE);
            boolean readsFirst = true;
            for (int i = 0; i < 20; i++) {
                // The next one comes before the last one goes: without a mark the writer never finds it free.
                assertThat((readsFirst ? second : first)
                                .getLock(stage.name, LockKind.READ)
                                .tryLock())
                        .isTrue();
                (readsFirst ? first : second).getLock(stage.name, LockKind.READ).unlock();
                readsFirst = !readsFirst;
            }
            assertThat(writing).isNotDone();
            (readsFirst ? first : second).getLock(stage.name, LockKind.READ).unlock();
            assertThat(Actor.outcome(writing)).isTrue();
            writer.runs(() -> second.getLock(stage.name, LockKind.WRITE).unlock());
        }
    }

    @Test
    void clientThatTurnedItOffReadsPastTheWritersOfOthers() throws Exception {
        try (LockClient heedless = stage.client().writersFirst(false).build()) {
            stage.readHere().lock();
            var writing = stage.waits(writer, stage.there, LockKind.WRITE);
            stage.awaitMark();

            assertThat(heedless.getLock(stage.name, LockKind.READ).tryLock()).isTrue();

            heedless.getLock(stage.name, LockKind.READ).unlock();
            stage.readHere().unlock();
            assertThat(Actor.outcome(writing)).isTrue();
            writer.runs(() -> stage.writeThere().unlock());
        }
    }

    @Test
    void writerThatDoesNotWaitKeepsNobodyOut() throws Exception {
        stage.readHere().lock();

        assertThat(stage.writeThere().tryLock()).isFalse();

        assertThat(stage.isMarked()).isFalse();
        assertThat(stage.readThere().tryLock()).isTrue();
        stage.readThere().unlock();
        stage.readHere().unlock();
    }

    @Test
    void readersComeInAtOnceWhenTheWaitingWriterIsInterrupted() throws Exception {
        stage.readHere().lock();
        stage.waits(writer, stage.there, LockKind.WRITE);
        stage.awaitMark();
        var reading = stage.waits(reader, stage.here, LockKind.READ);
        long left = System.nanoTime();

        writer.thread().interrupt();

        assertThat(Actor.outcome(reading)).isTrue();
        assertThat(Waits.millisSince(left)).isLessThan(Waits.SOON_MILLIS);
        assertThat(stage.isMarked()).isFalse();
        reader.runs(() -> stage.readHere().unlock());
        stage.readHere().unlock();
    }

    @Test
    void readersComeInAtOnceWhenTheWritersWaitIsOver() throws Exception {
        stage.readHere().lock();
        var writing = writer.begins(() -> stage.writeThere().tryLock(Duration.ofMillis(500)));
        stage.awaitMark();
        var reading = stage.waits(reader, stage.here, LockKind.READ);

        assertThat(Actor.outcome(writing)).isFalse();
        long left = System.nanoTime();

        assertThat(Actor.outcome(reading)).isTrue();
        assertThat(Waits.millisSince(left)).isLessThan(Waits.SOON_MILLIS);
        reader.runs(() -> stage.readHere().unlock());
        stage.readHere().unlock();
    }

    @Test
    void writerThatLeavesTakesNoOtherClientsPreferenceWithIt() throws Exception {
        stage.readHere().lock();
        stage.waits(writer, stage.there, LockKind.WRITE);
        stage.awaitMark();
        try (Actor second = new Actor()) {
            var waiting = stage.waits(second, stage.here, LockKind.WRITE);
            Await.until(
                    "both are in line",
                    ReadWriteStage.PATIENCE,
                    () -> stage.server.cli().llen(stage.line()) == 2);

            writer.thread().interrupt();

            Await.until(
                    "the other is",
                    ReadWriteStage.PATIENCE,
                    () -> stage.server.cli().llen(stage.line()) == 1);
            assertThat(reader.does(() -> stage.readHere().tryLock())).isFalse();
            stage.readHere().unlock();
            assertThat(Actor.outcome(waiting)).isTrue();
            second.runs(() -> stage.writeHere().unlock());
        }
    }

    @Test
    void writerWhoseClientIsGoneKeepsNobodyOut() throws Exception {
        stage.readHere().lock();
        plant("gone:1:1:0:write", System.currentTimeMillis() + 60_000);

        assertThat(reader.does(() -> stage.readThere().tryLock())).isTrue();

        reader.runs(() -> stage.readThere().unlock());
        stage.readHere().unlock();
    }

    @Test
    void placeWithoutADeadlineKeepsNobodyOut() throws Exception {
        stage.server.cli().rpush(stage.line(), "gone:1:1:0:write");

        assertThat(stage.readThere().tryLock()).isTrue();

        stage.readThere().unlock();
        assertThat(stage.server.cli().exists(stage.line())).isZero();
    }

    private void plant(String place, long deadline) {
        stage.server.cli().rpush(stage.line(), place);
        stage.server.cli().zadd("redisson_lock_timeout:{" + stage.name + "}", deadline, place);
    }
}

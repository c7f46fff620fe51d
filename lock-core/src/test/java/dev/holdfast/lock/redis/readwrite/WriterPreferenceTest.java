package dev.holdfast.lock.redis.readwrite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.ReadWriteClients;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A writer that waits for readers keeps new ones out, and no longer than it waits. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriterPreferenceTest {

    private final ReadWriteClients clients = new ReadWriteClients();
    private final ScriptedThread writer = new ScriptedThread();
    private final ScriptedThread reader = new ScriptedThread();

    @AfterEach
    void close() {
        writer.close();
        reader.close();
        clients.close();
    }

    @Test
    void readerThatReadsAlreadyReentersPastAWaitingWriter() throws Exception {
        clients.readHere().lock();
        var writing = clients.waits(writer, clients.there, LockKind.WRITE);
        clients.awaitMark();

        assertThat(clients.readHere().tryLock()).isTrue();

        clients.readHere().unlock();
        clients.readHere().unlock();
        assertThat(ScriptedThread.outcome(writing)).isTrue();
        writer.run(() -> clients.writeThere().unlock());
    }

    @Test
    void newReadersAreKeptOutWhileAWriterWaitsAndComeInAfterIt() throws Exception {
        clients.readHere().lock();
        var writing = clients.waits(writer, clients.there, LockKind.WRITE);
        clients.awaitMark();
        assertThat(reader.call(() -> clients.readHere().tryLock())).isFalse();
        assertThat(reader.call(() -> clients.readThere().tryLock())).isFalse();
        var reading = clients.waits(reader, clients.here, LockKind.READ);

        clients.readHere().unlock();
        assertThat(ScriptedThread.outcome(writing)).isTrue();
        assertThat(clients.isMarked()).isFalse();
        assertThat(reading).isNotDone();
        long left = System.nanoTime();
        writer.run(() -> clients.writeThere().unlock());

        assertThat(ScriptedThread.outcome(reading)).isTrue();
        Waits.assertSoon(left, Duration.ZERO);
        reader.run(() -> clients.readHere().unlock());
    }

    @Test
    void clientThatTurnedItOffReadsPastTheWritersOfOthers() throws Exception {
        try (LockClient heedless = clients.client().writersFirst(false).build()) {
            clients.readHere().lock();
            var writing = clients.waits(writer, clients.there, LockKind.WRITE);
            clients.awaitMark();

            assertThat(heedless.getLock(clients.name, LockKind.READ).tryLock()).isTrue();

            heedless.getLock(clients.name, LockKind.READ).unlock();
            clients.readHere().unlock();
            assertThat(ScriptedThread.outcome(writing)).isTrue();
            writer.run(() -> clients.writeThere().unlock());
        }
    }

    @Test
    void writerThatDoesNotWaitKeepsNobodyOut() throws Exception {
        clients.readHere().lock();

        assertThat(clients.writeThere().tryLock()).isFalse();

        assertThat(clients.isMarked()).isFalse();
        assertThat(clients.readThere().tryLock()).isTrue();
        clients.readThere().unlock();
        clients.readHere().unlock();
    }

    @Test
    void readersComeInAtOnceWhenTheWritersWaitIsOver() throws Exception {
        clients.readHere().lock();
        var writing = writer.start(() -> clients.writeThere().tryLock(Duration.ofMillis(500)));
        clients.awaitMark();
        var reading = clients.waits(reader, clients.here, LockKind.READ);

        assertThat(ScriptedThread.outcome(writing)).isFalse();
        long left = System.nanoTime();

        assertThat(ScriptedThread.outcome(reading)).isTrue();
        Waits.assertSoon(left, Duration.ZERO);
        reader.run(() -> clients.readHere().unlock());
        clients.readHere().unlock();
    }

    @Test
    void writerThatLeavesTakesNoOtherClientsPreferenceWithIt() throws Exception {
        clients.readHere().lock();
        clients.waits(writer, clients.there, LockKind.WRITE);
        clients.awaitMark();
        try (ScriptedThread second = new ScriptedThread()) {
            var waiting = clients.waits(second, clients.here, LockKind.WRITE);
            Await.until(
                    "both are in the queue",
                    ReadWriteClients.PATIENCE,
                    () -> clients.server.cli().llen(clients.queue()) == 2);

            writer.thread().interrupt();

            Await.until(
                    "the other is",
                    ReadWriteClients.PATIENCE,
                    () -> clients.server.cli().llen(clients.queue()) == 1);
            assertThat(reader.call(() -> clients.readHere().tryLock())).isFalse();
            clients.readHere().unlock();
            assertThat(ScriptedThread.outcome(waiting)).isTrue();
            second.run(() -> clients.writeHere().unlock());
        }
    }

    @Test
    void writerWhoseClientIsGoneKeepsNobodyOut() throws Exception {
        clients.readHere().lock();
        new FairQueue(clients.server, clients.name).plant("gone:1:1:0:write", Duration.ofMinutes(1));

        assertThat(reader.call(() -> clients.readThere().tryLock())).isTrue();

        reader.run(() -> clients.readThere().unlock());
        clients.readHere().unlock();
    }
}

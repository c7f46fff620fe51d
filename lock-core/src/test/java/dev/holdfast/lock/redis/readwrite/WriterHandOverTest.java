package dev.holdfast.lock.redis.readwrite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.fixture.ReadWriteClients;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.testing.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writers of one client hand the lock over among themselves, and never past one of them who goes on as a reader. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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
}

package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Listeners hear what happened in the order in which it happened, and cannot disturb it. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
interface ListeningContract extends ContractPart {

    @Test
    default void eventsAreHeardInOrder() throws Exception {
        String name = clients().name();
        Diary diary = new Diary(clients().heardName(name));
        try (LockClient client = clients().client().listener(diary).build()) {
            LeaseLock lock = clients().lock(client, name);
            lock.lock();
            long first = clients().heardToken(client, name);
            try (ScriptedThread other = new ScriptedThread()) {
                assertThat(other.call(() -> clients().excluding(client, name).tryLock()))
                        .isFalse();
            }
            lock.unlock();
            var lease = lock.acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(5)));
            long second = clients().heardToken(client, name);
            clients().loseKey(name);
            lease.verify();
            diary.await(
                    "acquired " + first, "timed out", "released " + first, "acquired " + second, "lost GONE " + second);
        }
    }

    @Test
    default void releaseIsHeardBeforeTheNextAcquisitionInAHandOver() throws Exception {
        String name = clients().name();
        Diary diary = new Diary(clients().heardName(name));
        int threads = 4;
        int times = 50;
        try (LockClient client = clients().client().listener(diary).build()) {
            new CriticalSection()
                    .enterUnder(
                            java.util.Collections.nCopies(threads, clients().lock(client, name)),
                            times,
                            CriticalSection::onThread);
            Await.until("all is told", TwoClients.PATIENCE, () -> diary.entries.size() == 2 * threads * times);
        }
        List<String> entries = List.copyOf(diary.entries);
        for (String entry : entries) {
            if (entry.startsWith("acquired ")) {
                long token = Long.parseLong(entry.substring("acquired ".length()));
                int released = entries.indexOf("released " + token);
                assertThat(released).isGreaterThan(entries.indexOf(entry));
                // The next token is that of the thread to which this one handed the lock over.
                int next = entries.indexOf("acquired " + (token + 1));
                assertThat(next == -1 || next > released).as(entry).isTrue();
            }
        }
    }

    @Test
    default void listenerThatThrowsOrBlocksCostsNoLock() throws Exception {
        String name = clients().name();
        CountDownLatch end = new CountDownLatch(1);
        Diary diary = new Diary(clients().heardName(name));
        LockListener throwing = new LockListener() {
            @Override
            public void onAcquired(LockEvent.Acquired event) {
                throw new AssertionError("a listener that throws");
            }
        };
        LockListener blocking = new LockListener() {
            @Override
            public void onReleased(LockEvent.Released event) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        try (LockClient client = clients()
                .client()
                .listener(throwing)
                .listener(blocking)
                .listener(diary)
                .build()) {
            for (int i = 0; i < 3; i++) {
                clients().lock(client, name).lock();
                clients().lock(client, name).unlock();
            }
            var lease = clients().lock(client, name).acquire();
            CompletableFuture<LeaseLoss> lost = new CompletableFuture<>();
            lease.onLost(lost::complete);
            clients().loseKey(name);
            assertThat(lease.verify()).isFalse();
            // The holder is told although the listener still blocks.
            assertThat(ScriptedThread.outcome(lost).lockName()).isEqualTo(lease.lockName());
            assertThat(diary.entries).hasSize(1);
            end.countDown();
            Await.until("all is told", TwoClients.PATIENCE, () -> diary.entries.size() == 8);
        }
    }

    /** Writes down what it hears of one lock. */
    final class Diary implements LockListener {

        final ConcurrentLinkedQueue<String> entries = new ConcurrentLinkedQueue<>();
        private final String of;

        Diary(String of) {
            this.of = of;
        }

        private void enter(String lockName, String entry) {
            if (lockName.equals(of)) {
                entries.add(entry);
            }
        }

        void await(String... expected) {
            Await.until("as many entries", TwoClients.PATIENCE, () -> entries.size() >= expected.length);
            assertThat(entries).containsExactly(expected);
        }

        @Override
        public void onAcquired(LockEvent.Acquired event) {
            enter(event.lockName(), "acquired " + event.fencingToken());
        }

        @Override
        public void onReleased(LockEvent.Released event) {
            enter(event.lockName(), "released " + event.fencingToken());
        }

        @Override
        public void onTimedOut(LockEvent.TimedOut event) {
            enter(event.lockName(), "timed out");
        }

        @Override
        public void onLost(LeaseLoss loss) {
            enter(loss.lockName(), "lost " + loss.cause() + " " + loss.fencingToken());
        }
    }
}

package dev.holdfast.lock.redis.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.composite.QuorumLock;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listeners hear what happens to a lock made of locks as a whole, under its name and with its token. */
@Timeout(Await.TEST_SECONDS)
class CompositeEventsTest {

    private final Heard first = new Heard();
    private final Heard second = new Heard();

    /** Acquires twice; the first lease is released, and the second is lost. In between another caller finds it busy. */
    private void playOn(LeaseLock whole, Runnable lose) {
        Lease released = whole.acquire(Waits.waiting(Waits.LONG));
        assertThat(whole.tryAcquire()).isEmpty();
        released.close();
        Lease lost = whole.acquire(Waits.waiting(Waits.LONG));
        lose.run();
        assertThat(lost.verify()).isFalse();

        // Parts that share the name of the whole have other tokens, but for one of them.
        Predicate<LockEvent> ofTheWhole = event -> event.lockName().equals(whole.name());
        first.await(ofTheWhole.and(event -> event instanceof LeaseLoss loss
                && loss.fencingToken() == lost.fencingToken()
                && loss.cause() == LossCause.GONE
                && loss.probableCause().contains("parts, ")));
        long token = released.fencingToken();
        assertThat(first.events)
                .filteredOn(ofTheWhole)
                .anyMatch(event -> event instanceof LockEvent.Acquired acquired && acquired.fencingToken() == token)
                .anyMatch(event -> event instanceof LockEvent.Released end && end.fencingToken() == token)
                .anyMatch(LockEvent.TimedOut.class::isInstance);
    }

    @Test
    void lockOfLocksOfLocksIsHeardByTheFirstOnesListeners() {
        RedisServer server = RedisServer.shared();
        String a = Waits.name("a");
        String b = Waits.name("b");
        String c = Waits.name("c");
        try (LockClient one = Waits.client(server).listener(first).build();
                LockClient two = Waits.client(server).listener(second).build()) {
            MultiLock inner = MultiLock.of(List.of(one.getLock(a), two.getLock(b)));
            MultiLock whole = MultiLock.of(List.of(inner, two.getLock(c)));

            playOn(whole, () -> server.cli().del(b));

            assertThat(first.events)
                    .filteredOn(event -> event.lockName().equals(whole.name()))
                    .extracting(event -> event.getClass().getSimpleName())
                    .containsExactly("Acquired", "TimedOut", "Released", "Acquired", "LeaseLoss");
            second.await(event -> event instanceof LeaseLoss && event.lockName().equals(b));
            assertThat(second.events).noneMatch(event -> event.lockName().equals(whole.name()));
        }
    }

    @Test
    void quorumLockIsHeardByTheFirstClientsListeners() {
        try (QuorumClients clients = new QuorumClients(3)) {
            List<LockClient> here = clients.application();
            here.get(0).addListener(first);
            here.get(1).addListener(second);
            QuorumLock whole = QuorumLock.of(Waits.name("quorum"), here);

            playOn(whole, () -> clients.servers.forEach(server -> server.cli().del(whole.name())));

            assertThat(second.events)
                    .filteredOn(LeaseLoss.class::isInstance)
                    .noneMatch(event -> ((LeaseLoss) event).probableCause().contains("parts, "));
        }
    }

    private static final class Heard implements LockListener {

        private final List<LockEvent> events = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(LockEvent event) {
            events.add(event);
        }

        void await(Predicate<LockEvent> expected) {
            Await.until(
                    "an event is heard", Await.PATIENCE, () -> events.stream().anyMatch(expected));
        }
    }
}

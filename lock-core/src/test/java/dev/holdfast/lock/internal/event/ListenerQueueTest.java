package dev.holdfast.lock.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who hears what, and what a slow listener misses. */
@Timeout(Await.TEST_SECONDS)
class ListenerQueueTest {

    private static final Duration PATIENCE = Await.PATIENCE;

    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Heard slow = new Heard(goOn);
    private final VirtualClock time = new VirtualClock();
    private final List<LockListener> listeners = new CopyOnWriteArrayList<>(List.of(slow));
    private final EventPublisher events = new EventPublisher(
            listeners,
            new Counters(),
            new LossLog(Timer.on(time.scheduler(), time), time::now, System.Logger.Level.WARNING),
            Background.SYSTEM);
    private final LogLines log = LogLines.record();

    @AfterEach
    void close() {
        goOn.countDown();
        log.close();
        events.close();
    }

    private static LeaseLoss loss(int number) {
        return new LeaseLoss(
                "lock-" + number, LockKind.REENTRANT, number, LossCause.GONE, Duration.ZERO, Duration.ZERO, "gone");
    }

    @Test
    void listenerThatIsFarBehindMissesNoLossAndTheLogSaysOnceThatItMissesOthers() {
        for (int i = 0; i < 12_000; i++) {
            events.timedOut("busy", LockKind.REENTRANT, 0);
        }
        for (int i = 0; i < 500; i++) {
            events.lost(loss(i), "owner");
            events.timedOut("busy", LockKind.REENTRANT, 0);
        }

        goOn.countDown();

        Await.until("all losses were heard", PATIENCE, () -> slow.losses() == 500);
        assertThat(slow.events.size()).isLessThanOrEqualTo(10_500);
        Await.until(
                "the log says how many were dropped",
                PATIENCE,
                () -> !log.warningsThat(line -> line.contains("2500 events were dropped, none of them a loss"))
                        .isEmpty());
        assertThat(log.warningsThat(line -> line.contains("events behind"))).hasSize(1);
    }

    @Test
    void listenerHearsWhatHappensBetweenItsAddingAndItsRemoving() {
        goOn.countDown();
        Heard added = new Heard(goOn);
        events.timedOut("before", LockKind.REENTRANT, 0);
        listeners.add(added);
        events.timedOut("between", LockKind.REENTRANT, 0);
        listeners.remove(added);
        events.timedOut("after", LockKind.REENTRANT, 0);

        Await.until("the first listener has heard all", PATIENCE, () -> slow.events.size() == 3);
        assertThat(added.events).extracting(LockEvent::lockName).containsExactly("between");
    }

    private static final class Heard implements LockListener {

        private final List<LockEvent> events = new CopyOnWriteArrayList<>();
        private final CountDownLatch goOn;

        Heard(CountDownLatch goOn) {
            this.goOn = goOn;
        }

        long losses() {
            return events.stream().filter(LeaseLoss.class::isInstance).count();
        }

        @Override
        public void onEvent(LockEvent event) {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            events.add(event);
        }
    }
}

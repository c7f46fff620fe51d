package dev.holdfast.lock.spring.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.spring.LockJournal.Entry;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EventRingTest {

    private static final long TOKEN = 1_700_000_000_000_000L * 1024;

    private final EventRing ring = new EventRing(3);

    @Test
    void timeOfAGrantIsThatOfRedis() {
        acquire(ring, TOKEN + 1);
        assertThat(ring.view().entries())
                .extracting(Entry::grantedAt)
                .containsExactly(Instant.ofEpochSecond(1_700_000_000));
    }

    @Test
    void eventSaysWhatHappenedToTheLock() {
        ring.onEvent(new LockEvent.Released("bill", LockKind.FAIR, TOKEN, Duration.ofMillis(70), true));
        ring.onEvent(new LeaseLoss(
                "bill", LockKind.WRITE, TOKEN, LossCause.GONE, Duration.ofMillis(9), Duration.ofMillis(4), "gone"));
        ring.onEvent(new LockEvent.TimedOut("bill", LockKind.READ, Duration.ofMillis(5)));
        assertThat(ring.view().entries())
                .extracting(Entry::event, Entry::kind, Entry::token, Entry::heldMicros, Entry::handedOver, Entry::cause)
                .containsExactly(
                        tuple("released", "FAIR", String.valueOf(TOKEN), 70_000L, true, null),
                        tuple("lost", "WRITE", String.valueOf(TOKEN), 9_000L, false, "GONE"),
                        tuple("refused", "READ", null, null, false, "BUSY"));
        assertThat(ring.view().entries().get(1).unconfirmedMicros()).isEqualTo(4_000);
        assertThat(ring.view().entries().get(2).waitedMicros()).isEqualTo(5_000);
    }

    @Test
    void fullRingSaysSinceWhenItIsComplete() {
        Instant before = Instant.now().minusMillis(1);
        IntStream.range(0, 5).forEach(n -> acquire(ring, TOKEN + n));
        EventRing.View view = ring.view();
        assertThat(view.overwritten()).isEqualTo(2);
        assertThat(view.acquired()).isEqualTo(5);
        assertThat(view.lastOverwritten()).isBetween(before, Instant.now());
        assertThat(view.entries())
                .extracting(Entry::token)
                .containsExactly(String.valueOf(TOKEN + 2), String.valueOf(TOKEN + 3), String.valueOf(TOKEN + 4));
    }

    @Test
    void ringThatIsNotFullHasOverwrittenNothing() {
        acquire(ring, TOKEN);
        assertThat(ring.view().lastOverwritten()).isNull();
        assertThat(ring.view().overwritten()).isZero();
    }

    @Test
    void eventTakesTheBytesThatTheManualStates() throws IllegalAccessException {
        EventRing large = new EventRing(1_000);
        IntStream.range(0, 3_000).forEach(n -> acquire(large, TOKEN + n));
        long bytes = 0;
        for (Field field : EventRing.class.getDeclaredFields()) {
            field.setAccessible(true);
            if (field.getType().isArray()) {
                Object array = field.get(large);
                bytes += (long) Array.getLength(array) * bytesOf(field.getType().getComponentType());
            }
        }
        assertThat(bytes).isEqualTo(1_000 * EventRing.BYTES_OF_AN_EVENT);
    }

    private static int bytesOf(Class<?> type) {
        return type == long.class ? Long.BYTES : type == byte.class || type == boolean.class ? 1 : 4;
    }

    private static void acquire(EventRing ring, long token) {
        ring.onEvent(new LockEvent.Acquired("bill", LockKind.REENTRANT, token, Duration.ZERO, false));
    }
}

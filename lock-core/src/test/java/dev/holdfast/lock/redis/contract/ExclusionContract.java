package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Actor;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.Stage;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One holder at a time, for as long as its lease and no longer. */
interface ExclusionContract extends OnStage {

    Duration SHORT = Duration.ofMillis(400);

    @Test
    default void threadsOfOneClientExcludeEachOther() throws Exception {
        String name = on().name();
        LeaseLock lock = on().here(name);
        LeaseLock rival = on().rival(on().here(), name);
        CriticalSection section = new CriticalSection();
        int entries = section.enterUnder(List.of(lock, rival, lock, rival), 25, CriticalSection::onThread);
        assertThat(section.count()).isEqualTo(entries);
    }

    @Test
    @Tag("reach")
    default void clientsExcludeEachOther() throws Exception {
        String name = on().name();
        CriticalSection section = new CriticalSection();
        int entries = section.enterUnder(
                List.of(on().here(name), on().there(name), on().here(name), on().there(name)),
                20,
                CriticalSection::onThread);
        assertThat(section.count()).isEqualTo(entries);
    }

    @Test
    default void heldLockIsRefusedToAnotherThreadAndToAnotherClient() throws Exception {
        String name = on().name();
        on().here(name).lock();
        try (Actor other = new Actor()) {
            assertThat(other.does(() -> on().rival(on().here(), name).tryLock()))
                    .isFalse();
            assertThat(on().there(name).tryLock()).isFalse();
        } finally {
            on().here(name).unlock();
        }
        assertThat(on().there(name).tryLock()).isTrue();
        on().there(name).unlock();
    }

    @Test
    default void secondHolderEntersOnlyWhereTheKindIsShared() throws Exception {
        String name = on().name();
        on().here(name).lock();
        try (Actor second = new Actor()) {
            boolean entered = second.does(() -> on().here(name).tryLock());
            assertThat(entered).isEqualTo(on().isShared());
            on().here(name).unlock();
            assertThat(on().there(name).tryLock()).isNotEqualTo(on().isShared());
            if (entered) {
                second.runs(on().here(name)::unlock);
            } else {
                on().there(name).unlock();
            }
        }
        assertThat(on().isInRedis(name)).isFalse();
    }

    @Test
    default void waitEndsWithinItsBudget() throws Exception {
        String name = on().name();
        on().here(name).lock(Duration.ofMinutes(1));
        try (LockClient patient = on().patientClient()) {
            long start = System.nanoTime();
            assertThat(on().rival(patient, name).tryLock(Duration.ofMillis(200)))
                    .isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(199), Stage.PATIENCE);
        }
        on().here(name).unlock();
    }

    @Test
    @Tag("reach")
    default void waiterGetsTheLockWhenItIsReleasedAndNotAtTheNextPoll() throws Exception {
        String name = on().name();
        on().here(name).lock(Duration.ofMinutes(1));
        try (LockClient patient = on().patientClient();
                Actor waiter = new Actor()) {
            var granted = waiter.begins(() -> {
                on().rival(patient, name).lock();
                return true;
            });
            on().awaitListening(patient, name);
            on().here(name).unlock();
            assertThat(Actor.outcome(granted)).isTrue();
            waiter.runs(on().rival(patient, name)::unlock);
        }
    }

    @Test
    @Tag("reach")
    default void givenLeaseEndsOnTimeAndItsLateOwnerTouchesNobody() throws Exception {
        String name = on().name();
        long start = System.nanoTime();
        on().here(name).lock(SHORT);
        assertThat(on().there(name).tryLock(Stage.PATIENCE)).isTrue();
        Duration ended = Duration.ofNanos(System.nanoTime() - start);
        assertThat(ended).isGreaterThanOrEqualTo(SHORT.minusMillis(1));

        assertThat(on().here(name).isHeldByCurrentThread()).isFalse();
        assertThatThrownBy(on().here(name)::unlock)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining(name);
        assertThatThrownBy(on().here(name)::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .isNotInstanceOf(LeaseLostException.class);
        assertThat(on().there(name).isHeldByCurrentThread()).isTrue();
        assertThat(on().isInRedis(name)).isTrue();
        on().there(name).unlock();
        assertThat(on().isInRedis(name)).isFalse();
    }

    @Test
    default void leaseIsOverForItsHolderBeforeItIsOverInRedis() {
        String name = on().name();
        on().here(name).lock(Duration.ofSeconds(10));
        long before = System.nanoTime();
        Duration relied = on().here(name).remainingLease();
        Duration kept = Duration.ofMillis(on().pttl(name)).plusNanos(System.nanoTime() - before);
        on().here(name).unlock();
        assertThat(relied).isPositive().isLessThan(kept.minusMillis(400));
    }
}

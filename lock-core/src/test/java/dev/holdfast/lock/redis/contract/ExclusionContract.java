package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One holder at a time, for as long as its lease and no longer. */
interface ExclusionContract extends ContractPart {

    Duration SHORT = Duration.ofMillis(400);

    @Test
    @Tag("reach")
    default void clientsExcludeEachOther() throws Exception {
        String name = clients().name();
        CriticalSection section = new CriticalSection();
        int entries = section.enterUnder(
                List.of(
                        clients().here(name),
                        clients().there(name),
                        clients().here(name),
                        clients().there(name)),
                20,
                CriticalSection::onThread);
        assertThat(section.count()).isEqualTo(entries);
    }

    @Test
    default void secondHolderEntersOnlyWhereTheKindIsShared() throws Exception {
        String name = clients().name();
        clients().here(name).lock();
        try (ScriptedThread second = new ScriptedThread()) {
            assertThat(second.call(
                            () -> clients().excluding(clients().here(), name).tryLock()))
                    .isFalse();
            assertThat(clients().there(name).tryLock()).isFalse();
            boolean entered = second.call(() -> clients().here(name).tryLock());
            assertThat(entered).isEqualTo(clients().isShared());
            clients().here(name).unlock();
            assertThat(clients().there(name).tryLock()).isNotEqualTo(clients().isShared());
            if (entered) {
                second.run(clients().here(name)::unlock);
            } else {
                clients().there(name).unlock();
            }
        }
        assertThat(clients().isInRedis(name)).isFalse();
    }

    @Test
    default void waitEndsWithinItsBudget() throws Exception {
        String name = clients().name();
        clients().here(name).lock(Duration.ofMinutes(1));
        try (LockClient patient = clients().patientClient()) {
            long start = System.nanoTime();
            assertThat(clients().excluding(patient, name).tryLock(Duration.ofMillis(200)))
                    .isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(199), TwoClients.PATIENCE);
        }
        clients().here(name).unlock();
    }

    @Test
    @Tag("reach")
    default void waiterGetsTheLockWhenItIsReleasedAndNotAtTheNextPoll() throws Exception {
        String name = clients().name();
        clients().here(name).lock(Duration.ofMinutes(1));
        try (LockClient patient = clients().patientClient();
                ScriptedThread waiter = new ScriptedThread()) {
            var granted = waiter.start(() -> {
                clients().excluding(patient, name).lock();
                return true;
            });
            clients().awaitListening(patient, name);
            clients().here(name).unlock();
            assertThat(ScriptedThread.outcome(granted)).isTrue();
            waiter.run(clients().excluding(patient, name)::unlock);
        }
    }

    @Test
    @Tag("reach")
    default void givenLeaseEndsOnTimeAndItsLateOwnerTouchesNobody() throws Exception {
        String name = clients().name();
        long start = System.nanoTime();
        clients().here(name).lock(SHORT);
        assertThat(clients().there(name).tryLock(TwoClients.PATIENCE)).isTrue();
        Duration ended = Duration.ofNanos(System.nanoTime() - start);
        assertThat(ended).isGreaterThanOrEqualTo(SHORT.minusMillis(1));

        assertThat(clients().here(name).isHeldByCurrentThread()).isFalse();
        assertThatThrownBy(clients().here(name)::unlock)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining(name);
        assertThatThrownBy(clients().here(name)::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .isNotInstanceOf(LeaseLostException.class);
        assertThat(clients().there(name).isHeldByCurrentThread()).isTrue();
        assertThat(clients().isInRedis(name)).isTrue();
        clients().there(name).unlock();
        assertThat(clients().isInRedis(name)).isFalse();
    }
}

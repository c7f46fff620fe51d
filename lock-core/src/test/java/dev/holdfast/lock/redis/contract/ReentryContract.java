package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thread that is inside may enter again; nobody else may leave in its place. */
interface ReentryContract extends ContractPart {

    @Test
    default void holdsAreCountedUpAndDown() throws Exception {
        String name = clients().name();
        LeaseLock lock = clients().here(name);
        lock.lock();
        assertThat(lock.holdCount()).isEqualTo(1);
        lock.lockInterruptibly();
        assertThat(lock.holdCount()).isEqualTo(2);
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.holdCount()).isEqualTo(3);
        lock.unlock();
        assertThat(lock.holdCount()).isEqualTo(2);
        lock.unlock();
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(clients().there(name).tryLock()).isFalse();
        lock.unlock();
        assertThat(lock.holdCount()).isZero();
        assertThat(clients().isInRedis(name)).isFalse();
    }

    @Test
    default void anotherObjectOfTheSameNameIsTheSameLock() {
        String name = clients().name();
        clients().here(name).lock();
        LeaseLock twin = clients().here(name);
        twin.lock();
        assertThat(clients().here(name).holdCount()).isEqualTo(2);
        assertThat(twin.fencingToken()).isEqualTo(clients().here(name).fencingToken());
        twin.unlock();
        clients().here(name).unlock();
        assertThat(twin.holdCount()).isZero();
        assertThat(clients().isInRedis(name)).isFalse();
    }

    @Test
    @Tag("reach")
    default void strangerCannotReleaseAndChangesNothing() throws Exception {
        String name = clients().name();
        LeaseLock lock = clients().here(name);
        lock.lock();
        Map<String, String> before = withoutEnds(name);
        try (ScriptedThread stranger = new ScriptedThread()) {
            assertThatThrownBy(() -> stranger.run(lock::unlock))
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .hasMessageContaining(name);
        }
        assertThatThrownBy(clients().there(name)::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(withoutEnds(name)).isEqualTo(before);
        assertThat(lock.holdCount()).isEqualTo(1);
        lock.unlock();
    }

    /** The lock's hash without the ends of permits, which a renewal moves at any time. */
    private Map<String, String> withoutEnds(String name) {
        Map<String, String> fields = clients().cli(name).hgetall(TwoClients.PREFIX + name);
        fields.remove("holdfast:end");
        fields.replaceAll((field, value) -> value.replaceFirst("^\\d+:", ""));
        return fields;
    }

    @Test
    default void lockThatNobodyHoldsCannotBeReleased() {
        LeaseLock lock = clients().here(clients().name());
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .isNotInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::fencingToken).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(lock.remainingLease()).isZero();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    default void reentryNeverShortensALease() throws Exception {
        String name = clients().name();
        LeaseLock lock = clients().here(name);
        lock.lock(Duration.ofSeconds(20));
        assertThat(lock.tryLock(Duration.ZERO, Duration.ofMillis(100))).isTrue();
        assertThat(clients().pttl(name)).isGreaterThan(15_000);
        assertThat(lock.remainingLease()).isGreaterThan(Duration.ofSeconds(15));
        lock.unlock();
        assertThat(clients().pttl(name)).isGreaterThan(15_000);
        lock.unlock();
    }

    @Test
    default void reentryMayLengthenALease() {
        String name = clients().name();
        LeaseLock lock = clients().here(name);
        lock.lock(Duration.ofSeconds(5));
        lock.lock(Duration.ofSeconds(20));
        assertThat(clients().pttl(name)).isGreaterThan(15_000);
        assertThat(lock.remainingLease())
                .isBetween(Duration.ofSeconds(15), Duration.ofMillis(clients().pttl(name)));
        lock.unlock();
        lock.unlock();
        assertThat(clients().isInRedis(name)).isFalse();
    }

    @Test
    default void leaseThatWasLostIsNotReenteredButAcquiredAnew() {
        String name = clients().name();
        LeaseLock lock = clients().here(name);
        lock.lock(Duration.ofMillis(50));
        while (lock.isHeldByCurrentThread()) {
            Thread.onSpinWait();
        }
        lock.lock();
        assertThat(lock.holdCount()).isEqualTo(1);
        lock.unlock();
        assertThatThrownBy(lock::unlock).as("the unlock of the lost hold").isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .isNotInstanceOf(LeaseLostException.class);
        lock.lock();
        lock.unlock();
    }
}

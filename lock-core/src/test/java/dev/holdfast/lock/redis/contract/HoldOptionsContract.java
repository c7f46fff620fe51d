package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.fixture.Actor;
import dev.holdfast.lock.redis.fixture.Stage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How long a hold lasts: at least, at most, and for as long as it is renewed. */
interface HoldOptionsContract extends OnStage {

    /** A holder that is late by this much fails; it takes some milliseconds. */
    Duration BRIEF = Duration.ofMillis(500);

    /** On a busy machine a test may come too late to see what it tests; then it says less. */
    private static boolean isBefore(long start, Duration end) {
        return System.nanoTime() - start < end.toNanos();
    }

    @Test
    default void minHoldKeepsTheLockAfterAnEarlyRelease() throws Exception {
        String name = on().name();
        long start = System.nanoTime();
        Lease lease = on().here(name).acquire(AcquireOptions.defaults().minHold(BRIEF));
        lease.close();
        assertThat(lease.isHeld()).isFalse();
        boolean refused = !on().rival(on().here(), name).tryLock();
        // A lock that is made of locks gives them back when the time has come.
        long left = on().pttl(name);
        if (isBefore(start, BRIEF)) {
            assertThat(left).isBetween(1L, on().isMadeOfLocks() ? Stage.WATCHDOG.toMillis() : BRIEF.toMillis());
            assertThat(refused).isTrue();
        }
        assertThat(on().there(name).tryLock(Stage.PATIENCE)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(BRIEF);
        on().there(name).unlock();
    }

    @Test
    default void minHoldThatIsOverKeepsNothing() {
        String name = on().name();
        Lease lease = on().here(name).acquire(AcquireOptions.defaults().minHold(Duration.ofMillis(20)));
        while (lease.remaining()
                        .compareTo(Stage.WATCHDOG.multipliedBy(19).dividedBy(20).minusMillis(200))
                > 0) {
            Thread.onSpinWait();
        }
        lease.close();
        assertThat(on().isInRedis(name)).isFalse();
    }

    @Test
    default void minHoldOutlastsAShorterLeaseWhoseHolderIsLate() throws Exception {
        String name = on().name();
        long start = System.nanoTime();
        Duration longer = BRIEF.plusMillis(300);
        Lease lease =
                on().here(name).acquire(AcquireOptions.defaults().lease(BRIEF).minHold(longer));
        // From the start, so that it also holds if its holder dies.
        long left = on().pttl(name);
        if (isBefore(start, longer.minus(BRIEF))) {
            assertThat(left).isBetween(BRIEF.toMillis() + 1, longer.toMillis());
        }
        assertThat(on().there(name).tryLock(Stage.PATIENCE)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(longer);
        on().there(name).unlock();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    default void givenLeaseIsRenewedWhereAskedFor() {
        String name = on().name();
        Duration length = Duration.ofSeconds(2);
        try (Lease lease =
                on().here(name).acquire(AcquireOptions.defaults().lease(length).renewed())) {
            assertThat(on().pttl(name)).isBetween(1L, length.toMillis());
            Stage.awaitRenewal(lease);
            assertThat(lease.isHeld()).isTrue();
            assertThat(on().pttl(name)).isBetween(1L, length.toMillis());
        }
        assertThat(on().isInRedis(name)).isFalse();
    }

    @Test
    default void maxHoldEndsALeaseThatIsRenewed() throws Exception {
        String name = on().name();
        long start = System.nanoTime();
        Lease lease = on().here(name).acquire(AcquireOptions.defaults().maxHold(BRIEF));
        CompletableFuture<LeaseLoss> lost = new CompletableFuture<>();
        lease.onLost(lost::complete);
        assertThat(Actor.outcome(lost).cause()).isEqualTo(LossCause.MAX_HOLD);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(BRIEF);
        assertThat(on().there(name).tryLock(Stage.PATIENCE)).isTrue();
        on().there(name).unlock();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    default void newMinHoldKeepsTheLockAfterAnEarlyRelease() throws Exception {
        String name = on().name();
        Lease lease = on().here(name).acquire(AcquireOptions.defaults().minHold(Duration.ofHours(1)));
        long start = System.nanoTime();
        lease.minHold(BRIEF);
        lease.close();
        boolean refused = !on().rival(on().here(), name).tryLock();
        assertThat(refused || !isBefore(start, BRIEF)).isTrue();
        assertThat(on().there(name).tryLock(Stage.PATIENCE)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(BRIEF);
        on().there(name).unlock();
        assertThatThrownBy(() -> lease.minHold(BRIEF)).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    default void newMaxHoldShortensAGivenLease() throws Exception {
        String name = on().name();
        Lease lease = on().here(name).acquire(AcquireOptions.defaults().lease(Duration.ofHours(1)));
        long start = System.nanoTime();
        CompletableFuture<LeaseLoss> lost = new CompletableFuture<>();
        lease.onLost(lost::complete);
        lease.maxHold(BRIEF);
        assertThat(Actor.outcome(lost).cause()).isEqualTo(LossCause.MAX_HOLD);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(BRIEF);
        assertThat(on().there(name).tryLock(Stage.PATIENCE)).isTrue();
        on().there(name).unlock();
        assertThatThrownBy(() -> lease.maxHold(BRIEF)).isInstanceOf(LeaseLostException.class);
    }

    @Test
    default void holderIsInterruptedOnLossWhereAskedFor() throws Exception {
        String name = on().name();
        CompletableFuture<Boolean> held = new CompletableFuture<>();
        try (Actor holder = new Actor()) {
            var interrupted = holder.begins(() -> {
                Lease lease = on().here(name).acquire(AcquireOptions.defaults().interruptOnLoss());
                held.complete(true);
                CompletableFuture<Boolean> never = new CompletableFuture<>();
                try {
                    return never.get();
                } catch (InterruptedException e) {
                    return !lease.isHeld();
                }
            });
            assertThat(Actor.outcome(held)).isTrue();
            // Not on the holder's thread, which may be interrupted before it has its answer.
            on().loseKey(name);
            assertThat(Actor.outcome(interrupted)).isTrue();
        }
    }
}

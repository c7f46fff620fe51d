package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How long a hold lasts: at least, at most, and for as long as it is renewed. */
interface HoldOptionsContract extends ContractPart {

    /** A holder that is late by this much fails; it takes some milliseconds. */
    Duration BRIEF = Duration.ofMillis(500);

    /** On a busy machine a test may come too late to see what it tests; then it says less. */
    private static boolean isBefore(long start, Duration end) {
        return System.nanoTime() - start < end.toNanos();
    }

    @Test
    default void minHoldThatIsOverKeepsNothing() {
        String name = clients().name();
        Lease lease = clients().here(name).acquire(AcquireOptions.defaults().minHold(Duration.ofMillis(20)));
        Pause.of(Duration.ofMillis(40));
        lease.close();
        assertThat(clients().isInRedis(name)).isFalse();
    }

    @Test
    default void minHoldOutlastsAShorterLeaseWhoseHolderIsLate() throws Exception {
        String name = clients().name();
        long start = System.nanoTime();
        Duration longer = BRIEF.plusMillis(300);
        Lease lease = clients()
                .here(name)
                .acquire(AcquireOptions.defaults().lease(BRIEF).minHold(longer));
        // From the start, so that it also holds if its holder dies.
        long left = clients().pttl(name);
        if (isBefore(start, longer.minus(BRIEF))) {
            assertThat(left).isBetween(BRIEF.toMillis() + 1, longer.toMillis());
        }
        assertThat(clients().there(name).tryLock(TwoClients.PATIENCE)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(longer);
        clients().there(name).unlock();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    default void givenLeaseIsRenewedWhereAskedFor() {
        String name = clients().name();
        Duration length = Duration.ofSeconds(2);
        try (Lease lease = clients()
                .here(name)
                .acquire(AcquireOptions.defaults().lease(length).renewed())) {
            assertThat(clients().pttl(name)).isBetween(1L, length.toMillis());
            TwoClients.awaitRenewal(lease);
            assertThat(lease.isHeld()).isTrue();
            assertThat(clients().pttl(name)).isBetween(1L, length.toMillis());
        }
        assertThat(clients().isInRedis(name)).isFalse();
    }

    @Test
    default void newMinHoldKeepsTheLockAfterAnEarlyRelease() throws Exception {
        String name = clients().name();
        Lease lease = clients().here(name).acquire(AcquireOptions.defaults().minHold(Duration.ofHours(1)));
        long start = System.nanoTime();
        lease.minHold(BRIEF);
        lease.close();
        boolean refused = !clients().excluding(clients().here(), name).tryLock();
        assertThat(refused || !isBefore(start, BRIEF)).isTrue();
        assertThat(clients().there(name).tryLock(TwoClients.PATIENCE)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(BRIEF);
        clients().there(name).unlock();
        assertThatThrownBy(() -> lease.minHold(BRIEF)).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    default void newMaxHoldShortensAGivenLease() throws Exception {
        String name = clients().name();
        Lease lease = clients().here(name).acquire(AcquireOptions.defaults().lease(Duration.ofHours(1)));
        long start = System.nanoTime();
        CompletableFuture<LeaseLoss> lost = new CompletableFuture<>();
        lease.onLost(lost::complete);
        lease.maxHold(BRIEF);
        assertThat(ScriptedThread.outcome(lost).cause()).isEqualTo(LossCause.MAX_HOLD);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(BRIEF);
        assertThat(clients().there(name).tryLock(TwoClients.PATIENCE)).isTrue();
        clients().there(name).unlock();
        assertThatThrownBy(() -> lease.maxHold(BRIEF)).isInstanceOf(LeaseLostException.class);
    }

    @Test
    default void holderIsInterruptedOnLossWhereAskedFor() throws Exception {
        String name = clients().name();
        CompletableFuture<Lease> held = new CompletableFuture<>();
        try (ScriptedThread holder = new ScriptedThread()) {
            var interrupted = holder.start(() -> {
                Lease lease =
                        clients().here(name).acquire(AcquireOptions.defaults().interruptOnLoss());
                held.complete(lease);
                CompletableFuture<Boolean> never = new CompletableFuture<>();
                try {
                    return never.get();
                } catch (InterruptedException e) {
                    return !lease.isHeld();
                }
            });
            Lease lease = ScriptedThread.outcome(held);
            // Not on the holder's thread, which may be interrupted before it has its answer.
            clients().loseKey(name);
            assertThat(lease.verify()).isFalse();
            assertThat(ScriptedThread.outcome(interrupted)).isTrue();
        }
    }
}

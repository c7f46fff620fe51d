package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A lease as a value: whoever has it holds the lock. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
interface LeaseContract extends ContractPart {

    @Test
    default void leaseIsReleasedByAThreadThatDidNotAcquireIt() throws Exception {
        String name = clients().name();
        try (ScriptedThread first = new ScriptedThread();
                ScriptedThread second = new ScriptedThread()) {
            Lease lease = first.call(() -> clients().here(name).acquire());
            assertThat(lease.lockName()).isEqualTo(clients().here(name).name());
            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(1), TwoClients.WATCHDOG);
            second.run(lease::close);
            assertThat(lease.isHeld()).isFalse();
            assertThat(lease.remaining()).isZero();
        }
        assertThat(clients().isInRedis(name)).isFalse();
    }

    @Test
    default void leaseIsNotReenteredByTheThreadThatHasIt() {
        String name = clients().name();
        try (Lease lease = clients().here(name).acquire()) {
            assertThat(lease.isHeld()).isTrue();
            Optional<Lease> second = clients().here(name).tryAcquire();
            // Where the kind is shared it is entered as by a stranger.
            assertThat(second.isPresent()).isEqualTo(clients().isShared());
            second.ifPresent(Lease::close);
            assertThat(clients().excluding(clients().here(), name).tryLock()).isFalse();
            assertThat(clients().here(name).holdCount()).isZero();
        }
    }

    @Test
    @Tag("reach")
    default void tokensGrowFromOwnerToOwnerAndClientToClient() {
        String name = clients().name();
        long last = 0;
        for (var client : List.of(
                clients().here(),
                clients().there(),
                clients().there(),
                clients().here())) {
            try (Lease lease = clients().lock(client, name).acquire()) {
                assertThat(lease.fencingToken()).isGreaterThan(last);
                last = lease.fencingToken();
            }
        }
    }

    @Test
    @Tag("reach")
    default void verifyAsksRedis() throws Exception {
        String name = clients().name();
        // Not renewed: a renewal would notice the missing key as well.
        Lease lease = clients().here(name).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(20)));
        long before = clients().pttl(name);
        assertThat(lease.verify()).isTrue();
        assertThat(clients().pttl(name)).as("left as it was").isBetween(10_000L, before);
        clients().loseKey(name);
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.verify()).isFalse();
        assertThat(lease.isHeld()).isFalse();
        assertThatThrownBy(lease::close)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().cause()).isEqualTo(LossCause.GONE));
    }

    @Test
    @Tag("reach")
    default void extendedLeaseLastsLonger() {
        String name = clients().name();
        try (Lease lease =
                clients().here(name).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(5)))) {
            lease.extend(Duration.ofSeconds(20));
            assertThat(lease.remaining())
                    .isBetween(
                            Duration.ofSeconds(15), Duration.ofMillis(clients().pttl(name)));
            lease.extend(Duration.ofMillis(100));
            assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(15));
            assertThat(clients().pttl(name)).isGreaterThan(15_000);
        }
        assertThat(clients().isInRedis(name)).isFalse();
    }

    @Test
    default void lostLeaseCannotBeExtended() {
        String name = clients().name();
        Lease lease = clients().here(name).acquire();
        clients().loseKey(name);
        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(1))).isInstanceOf(LeaseLostException.class);
        clients().awaitFree(name);
    }

    @Test
    default void releaseFindsALossAndFreesTheRest() {
        String name = clients().name();
        Lease lease = clients().here(name).acquire();
        clients().loseKey(name);
        assertThatThrownBy(lease::close)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().cause()).isEqualTo(LossCause.GONE));
        clients().awaitFree(name);
    }

    @Test
    default void lossIsToldOnceToEachCallbackLateOnesToo() throws Exception {
        String name = clients().name();
        Lease lease = clients().here(name).acquire();
        ConcurrentLinkedQueue<LeaseLoss> told = new ConcurrentLinkedQueue<>();
        CompletableFuture<LeaseLoss> early = new CompletableFuture<>();
        lease.onLost(loss -> {
            told.add(loss);
            early.complete(loss);
        });
        clients().loseKey(name);
        lease.verify();
        LeaseLoss loss = ScriptedThread.outcome(early);
        assertThat(loss.lockName()).isEqualTo(clients().here(name).name());
        assertThat(loss.fencingToken()).isEqualTo(lease.fencingToken());
        CompletableFuture<LeaseLoss> late = new CompletableFuture<>();
        lease.onLost(late::complete);
        assertThat(ScriptedThread.outcome(late)).isSameAs(loss);
        lease.verify();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        assertThat(told).hasSize(1);
    }

    @Test
    default void releasedLeaseIsNeverLost() throws Exception {
        String name = clients().name();
        Lease lease = clients().here(name).acquire();
        CompletableFuture<LeaseLoss> lost = new CompletableFuture<>();
        lease.onLost(lost::complete);
        ScriptedThread.outcome(lease.releaseAsync().toCompletableFuture());
        assertThat(lease.verify()).isFalse();
        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalMonitorStateException.class)
                .isNotInstanceOf(LeaseLostException.class);
        assertThat(lost).isNotDone();
    }

    @Test
    default void secondReleaseDoesNothing() throws Exception {
        String name = clients().name();
        Lease lease = clients().here(name).acquire();
        ScriptedThread.outcome(lease.releaseAsync().toCompletableFuture());
        clients().there(name).lock();
        assertThatCode(lease::close).doesNotThrowAnyException();
        ScriptedThread.outcome(lease.releaseAsync().toCompletableFuture());
        assertThat(clients().isInRedis(name)).isTrue();
        clients().there(name).unlock();
    }
}

package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.fixture.Actor;
import dev.holdfast.lock.redis.fixture.Stage;
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
interface LeaseContract extends OnStage {

    @Test
    default void leaseIsReleasedByAThreadThatDidNotAcquireIt() throws Exception {
        String name = on().name();
        try (Actor first = new Actor();
                Actor second = new Actor()) {
            Lease lease = first.does(() -> on().here(name).acquire());
            assertThat(lease.lockName()).isEqualTo(on().here(name).name());
            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(1), Stage.WATCHDOG);
            second.runs(lease::close);
            assertThat(lease.isHeld()).isFalse();
            assertThat(lease.remaining()).isZero();
        }
        assertThat(on().isInRedis(name)).isFalse();
    }

    @Test
    default void leaseIsNotReenteredByTheThreadThatHasIt() {
        String name = on().name();
        try (Lease lease = on().here(name).acquire()) {
            assertThat(lease.isHeld()).isTrue();
            Optional<Lease> second = on().here(name).tryAcquire();
            // Where the kind is shared it is entered as by a stranger.
            assertThat(second.isPresent()).isEqualTo(on().isShared());
            second.ifPresent(Lease::close);
            assertThat(on().rival(on().here(), name).tryLock()).isFalse();
            assertThat(on().here(name).holdCount()).isZero();
        }
    }

    @Test
    @Tag("reach")
    default void tokensGrowFromOwnerToOwnerAndClientToClient() {
        String name = on().name();
        long last = 0;
        for (var client : List.of(on().here(), on().there(), on().there(), on().here())) {
            try (Lease lease = on().lock(client, name).acquire()) {
                assertThat(lease.fencingToken()).isGreaterThan(last);
                last = lease.fencingToken();
            }
        }
    }

    @Test
    @Tag("reach")
    default void verifyAsksRedis() throws Exception {
        String name = on().name();
        // Not renewed: a renewal would notice the missing key as well.
        Lease lease = on().here(name).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(20)));
        assertThat(lease.verify()).isTrue();
        on().loseKey(name);
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.verify()).isFalse();
        assertThat(lease.isHeld()).isFalse();
        assertThatThrownBy(lease::close)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().cause()).isEqualTo(LossCause.GONE));
    }

    @Test
    default void verifyLeavesTheLeaseAsItIs() {
        String name = on().name();
        try (Lease lease = on().here(name).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(20)))) {
            long before = on().pttl(name);
            assertThat(lease.verify()).isTrue();
            assertThat(on().pttl(name)).isBetween(10_000L, before);
        }
    }

    @Test
    @Tag("reach")
    default void extendedLeaseLastsLonger() {
        String name = on().name();
        try (Lease lease = on().here(name).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(5)))) {
            lease.extend(Duration.ofSeconds(20));
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(15), Duration.ofMillis(on().pttl(name)));
            lease.extend(Duration.ofMillis(100));
            assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(15));
            assertThat(on().pttl(name)).isGreaterThan(15_000);
        }
        assertThat(on().isInRedis(name)).isFalse();
    }

    @Test
    default void lostLeaseCannotBeExtended() {
        String name = on().name();
        Lease lease = on().here(name).acquire();
        on().loseKey(name);
        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(1))).isInstanceOf(LeaseLostException.class);
        on().awaitFree(name);
    }

    @Test
    default void lossIsToldOnceToEachCallbackLateOnesToo() throws Exception {
        String name = on().name();
        Lease lease = on().here(name).acquire();
        ConcurrentLinkedQueue<LeaseLoss> told = new ConcurrentLinkedQueue<>();
        CompletableFuture<LeaseLoss> early = new CompletableFuture<>();
        lease.onLost(loss -> {
            told.add(loss);
            early.complete(loss);
        });
        on().loseKey(name);
        lease.verify();
        LeaseLoss loss = Actor.outcome(early);
        assertThat(loss.lockName()).isEqualTo(on().here(name).name());
        assertThat(loss.fencingToken()).isEqualTo(lease.fencingToken());
        CompletableFuture<LeaseLoss> late = new CompletableFuture<>();
        lease.onLost(late::complete);
        assertThat(Actor.outcome(late)).isSameAs(loss);
        lease.verify();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        assertThat(told).hasSize(1);
    }

    @Test
    default void releasedLeaseIsNeverLost() throws Exception {
        String name = on().name();
        Lease lease = on().here(name).acquire();
        CompletableFuture<LeaseLoss> lost = new CompletableFuture<>();
        lease.onLost(lost::complete);
        Actor.outcome(lease.releaseAsync().toCompletableFuture());
        assertThat(lease.verify()).isFalse();
        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalMonitorStateException.class)
                .isNotInstanceOf(LeaseLostException.class);
        assertThat(lost).isNotDone();
    }

    @Test
    default void secondReleaseDoesNothing() throws Exception {
        String name = on().name();
        Lease lease = on().here(name).acquire();
        Actor.outcome(lease.releaseAsync().toCompletableFuture());
        on().there(name).lock();
        assertThatCode(lease::close).doesNotThrowAnyException();
        Actor.outcome(lease.releaseAsync().toCompletableFuture());
        assertThat(on().isInRedis(name)).isTrue();
        on().there(name).unlock();
    }
}

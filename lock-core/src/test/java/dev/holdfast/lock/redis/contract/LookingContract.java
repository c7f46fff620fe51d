package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.redis.fixture.Actor;
import dev.holdfast.lock.redis.fixture.Stage;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Looking at locks from outside, and freeing them by force. */
interface LookingContract extends OnStage {

    @Test
    @Tag("reach")
    default void inspectTellsWhoHoldsALock() {
        String name = on().name();
        assertThat(on().there().inspect(name)).isEmpty();
        on().here(name).lock();
        on().here(name).lock();
        assertThat(on().there().inspect(name)).hasValueSatisfying(state -> {
            assertThat(state.lockName()).isEqualTo(name);
            assertThat(state.kind()).isEqualTo(on().here(name).kind());
            assertThat(state.owner()).startsWith(state.holder().client() + ":");
            assertThat(state.holder().thread()).hasValue(Thread.currentThread().getId());
            assertThat(state.holder().holds()).isEqualTo(1);
            assertThat(state.holder().fencingToken().orElseThrow()).isEqualTo(on().heardToken(on().here(), name));
            assertThat(state.remaining()).isBetween(Duration.ofMillis(1), Stage.WATCHDOG);
            assertThat(state.waitersHere()).isZero();
        });
        assertThat(on().there(name).isLocked()).isTrue();
        on().here(name).unlock();
        on().here(name).unlock();
        assertThat(on().there(name).isLocked()).isFalse();
    }

    @Test
    @Tag("reach")
    default void refusedCallerIsToldTheHoldersNameAndSinceWhen() throws Exception {
        String name = on().name();
        try (LockClient named = on().client().clientName("shop-7").build();
                Lease held = on().lock(named, name).acquire()) {
            Await.until(
                    "the holder is named",
                    Stage.PATIENCE,
                    () -> "shop-7"
                            .equals(on().there()
                                    .inspect(name)
                                    .orElseThrow()
                                    .holder()
                                    .clientName()));
            assertThatThrownBy(() ->
                            on().there(name).acquire(AcquireOptions.defaults().waitAtMost(Duration.ZERO)))
                    .isInstanceOfSatisfying(LockNotAcquiredException.class, busy -> {
                        Holder holder = busy.holderDetails().orElseThrow();
                        assertThat(holder.clientName()).isEqualTo("shop-7");
                        assertThat(holder.since()).isNotNull();
                        assertThat(holder.fencingToken()).hasValue(on().heardToken(named, name));
                    });
        }
    }

    @Test
    @Tag("reach")
    default void forcedReleaseWakesAWaiter() throws Exception {
        String name = on().name();
        Lease held = on().here(name).acquire(AcquireOptions.defaults().lease(Duration.ofMinutes(1)));
        try (LockClient patient = on().patientClient();
                Actor waiter = new Actor()) {
            var granted = waiter.begins(() -> {
                on().rival(patient, name).lock();
                return true;
            });
            on().awaitListening(patient, name);
            assertThat(on().forceRelease(on().here(), name)).isTrue();
            assertThat(Actor.outcome(granted)).isTrue();
            assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
            assertThat(waiter.does(() -> on().rival(patient, name).isHeldByCurrentThread()))
                    .isTrue();
            waiter.runs(on().rival(patient, name)::unlock);
        }
        assertThat(on().forceRelease(on().here(), name)).isFalse();
    }

    @Test
    @Tag("reach")
    default void forcedReleaseTellsTheHolderAtItsNextRenewal() throws Exception {
        String name = on().name();
        Lease held = on().here(name).acquire();
        CompletableFuture<LeaseLoss> lost = new CompletableFuture<>();
        held.onLost(lost::complete);
        assertThat(on().forceRelease(on().there(), name)).isTrue();
        assertThat(Actor.outcome(lost).cause()).isEqualTo(LossCause.GONE);
        assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    default void heldLocksAreThoseOfThisClient() {
        String name = on().name();
        try (Lease lease = on().here(name).acquire();
                Lease fixed = on().here(name + "-fixed")
                        .acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(5)))) {
            assertThat(on().held(on().here(), name)).hasSize(on().isMadeOfLocks() ? 2 : 1);
            assertThat(on().held(on().here(), name))
                    .anySatisfy(held -> assertThat(held.fencingToken()).isEqualTo(lease.fencingToken()));
            assertThat(on().held(on().here(), name)).allSatisfy(held -> {
                assertThat(held.renewed()).isTrue();
                assertThat(held.held()).isPositive();
                assertThat(held.remaining()).isBetween(Duration.ofMillis(1), Stage.WATCHDOG);
                // A lock that is made of locks takes all but the first on another thread.
                assertThat(on().isMadeOfLocks()
                                || held.thread().equals(Thread.currentThread().getName()))
                        .isTrue();
            });
            assertThat(on().held(on().here(), name + "-fixed"))
                    .isNotEmpty()
                    .allSatisfy(held -> assertThat(held.renewed()).isFalse());
            assertThat(on().held(on().there(), name)).isEmpty();
        }
        assertThat(on().held(on().here(), name)).isEmpty();
    }

    @Test
    @Tag("reach")
    default void selfCheckFindsNothingWrong() throws Exception {
        SelfCheck check = Actor.outcome(on().here().selfCheck().toCompletableFuture());
        assertThat(check.findings()).isEmpty();
        assertThat(check.isUsable()).isTrue();
        assertThat(check.serverVersion()).matches("\\d+\\.\\d+.*");
    }
}

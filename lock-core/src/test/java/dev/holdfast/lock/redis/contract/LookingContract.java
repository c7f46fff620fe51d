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
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Looking at locks from outside, and freeing them by force. */
interface LookingContract extends ContractPart {

    @Test
    @Tag("reach")
    default void inspectTellsWhoHoldsALock() {
        String name = clients().name();
        assertThat(clients().there().inspect(name)).isEmpty();
        clients().here(name).lock();
        clients().here(name).lock();
        assertThat(clients().there().inspect(name)).hasValueSatisfying(state -> {
            assertThat(state.lockName()).isEqualTo(name);
            assertThat(state.kind()).isEqualTo(clients().here(name).kind());
            assertThat(state.owner()).startsWith(state.holder().client() + ":");
            assertThat(state.holder().thread()).hasValue(Thread.currentThread().getId());
            assertThat(state.holder().holds()).isEqualTo(1);
            assertThat(state.holder().fencingToken().orElseThrow())
                    .isEqualTo(clients().heardToken(clients().here(), name));
            assertThat(state.remaining()).isBetween(Duration.ofMillis(1), TwoClients.WATCHDOG);
            assertThat(state.waitersHere()).isZero();
        });
        assertThat(clients().there(name).isLocked()).isTrue();
        clients().here(name).unlock();
        clients().here(name).unlock();
        assertThat(clients().there(name).isLocked()).isFalse();
    }

    @Test
    @Tag("reach")
    default void refusedCallerIsToldTheHoldersNameAndSinceWhen() throws Exception {
        String name = clients().name();
        try (LockClient named = clients().client().clientName("shop-7").build();
                Lease held = clients().lock(named, name).acquire()) {
            Await.until(
                    "the holder is named",
                    TwoClients.PATIENCE,
                    () -> "shop-7"
                            .equals(clients()
                                    .there()
                                    .inspect(name)
                                    .orElseThrow()
                                    .holder()
                                    .clientName()));
            assertThatThrownBy(() -> clients()
                            .there(name)
                            .acquire(AcquireOptions.defaults().waitAtMost(Duration.ZERO)))
                    .isInstanceOfSatisfying(LockNotAcquiredException.class, busy -> {
                        Holder holder = busy.holderDetails().orElseThrow();
                        assertThat(holder.clientName()).isEqualTo("shop-7");
                        assertThat(holder.since()).isNotNull();
                        assertThat(holder.fencingToken()).hasValue(clients().heardToken(named, name));
                    });
        }
    }

    @Test
    @Tag("reach")
    default void forcedReleaseWakesAWaiter() throws Exception {
        String name = clients().name();
        Lease held = clients().here(name).acquire(AcquireOptions.defaults().lease(Duration.ofMinutes(1)));
        try (LockClient patient = clients().patientClient();
                ScriptedThread waiter = new ScriptedThread()) {
            var granted = waiter.start(() -> {
                clients().excluding(patient, name).lock();
                return true;
            });
            clients().awaitListening(patient, name);
            assertThat(clients().forceRelease(clients().here(), name)).isTrue();
            assertThat(ScriptedThread.outcome(granted)).isTrue();
            assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
            assertThat(waiter.call(() -> clients().excluding(patient, name).isHeldByCurrentThread()))
                    .isTrue();
            waiter.run(clients().excluding(patient, name)::unlock);
        }
        assertThat(clients().forceRelease(clients().here(), name)).isFalse();
    }

    @Test
    @Tag("reach")
    default void forcedReleaseTellsTheHolderAtItsNextRenewal() throws Exception {
        String name = clients().name();
        Lease held = clients().here(name).acquire();
        CompletableFuture<LeaseLoss> lost = new CompletableFuture<>();
        held.onLost(lost::complete);
        assertThat(clients().forceRelease(clients().there(), name)).isTrue();
        assertThat(ScriptedThread.outcome(lost).cause()).isEqualTo(LossCause.GONE);
        assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    default void heldLocksAreThoseOfThisClient() {
        String name = clients().name();
        try (Lease lease = clients().here(name).acquire();
                Lease fixed = clients()
                        .here(name + "-fixed")
                        .acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(5)))) {
            assertThat(clients().held(clients().here(), name)).hasSize(clients().isMadeOfLocks() ? 2 : 1);
            assertThat(clients().held(clients().here(), name))
                    .anySatisfy(held -> assertThat(held.fencingToken()).isEqualTo(lease.fencingToken()));
            assertThat(clients().held(clients().here(), name)).allSatisfy(held -> {
                assertThat(held.renewed()).isTrue();
                assertThat(held.held()).isPositive();
                assertThat(held.remaining()).isBetween(Duration.ofMillis(1), TwoClients.WATCHDOG);
                // A lock that is made of locks takes all but the first on another thread.
                assertThat(clients().isMadeOfLocks()
                                || held.thread().equals(Thread.currentThread().getName()))
                        .isTrue();
            });
            assertThat(clients().held(clients().here(), name + "-fixed"))
                    .isNotEmpty()
                    .allSatisfy(held -> assertThat(held.renewed()).isFalse());
            assertThat(clients().held(clients().there(), name)).isEmpty();
        }
        assertThat(clients().held(clients().here(), name)).isEmpty();
    }

    @Test
    @Tag("reach")
    default void selfCheckFindsNothingWrong() throws Exception {
        SelfCheck check = ScriptedThread.outcome(clients().here().selfCheck().toCompletableFuture());
        assertThat(check.findings()).isEmpty();
        assertThat(check.isUsable()).isTrue();
        assertThat(check.serverVersion()).matches("\\d+\\.\\d+.*");
    }
}

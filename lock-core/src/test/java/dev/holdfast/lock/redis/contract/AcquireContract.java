package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The ways to a lease: <i>acquire</i> throws, <i>try</i> answers, both also without blocking. */
interface AcquireContract extends ContractPart {

    AcquireOptions BRIEFLY = AcquireOptions.defaults().waitAtMost(Duration.ofMillis(100));

    AcquireOptions PATIENTLY = AcquireOptions.defaults().waitAtMost(TwoClients.PATIENCE);

    @Test
    @Tag("reach")
    default void refusalNamesTheLockTheWaitAndTheHolder() {
        String name = clients().name();
        try (Lease lease = clients().there(name).acquire()) {
            List<String> holders = clients().owners(name);
            LockNotAcquiredException busy = refusal(name);
            // Where the process stood still for longer than a command may take, nobody looks for the holder.
            for (int again = 0; again < 5 && busy.holder().isEmpty(); again++) {
                busy = refusal(name);
            }
            assertThat(busy.lockName()).isEqualTo(clients().here(name).name());
            assertThat(busy.waited()).isEqualTo(Duration.ofMillis(100));
            assertThat(holders).contains(busy.holder().orElseThrow());
            assertThat(busy.remainingLease().orElseThrow())
                    .isBetween(Duration.ofMillis(1), TwoClients.WATCHDOG.plusMillis(1));
            assertThat(busy).hasMessageContainingAll(name, busy.holder().orElseThrow(), "100 ms");
        }
    }

    private LockNotAcquiredException refusal(String name) {
        return catchThrowableOfType(
                LockNotAcquiredException.class, () -> clients().here(name).acquire(BRIEFLY));
    }

    @Test
    default void tryAcquireAnswersAndAcquireThrows() throws Exception {
        String name = clients().name();
        try (Lease lease = clients().there(name).tryAcquire().orElseThrow()) {
            assertThat(clients().here(name).tryAcquire()).isEmpty();
            assertThat(clients().here(name).tryAcquire(BRIEFLY)).isEmpty();
            assertThat(ScriptedThread.outcome(clients()
                            .here(name)
                            .tryAcquireAsync(AcquireOptions.defaults())
                            .toCompletableFuture()))
                    .isEmpty();
            assertThatThrownBy(() -> ScriptedThread.outcome(
                            clients().here(name).acquireAsync(BRIEFLY).toCompletableFuture()))
                    .isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageContaining(name);
        }
        clients().here(name).tryAcquire(PATIENTLY).orElseThrow().close();
    }

    @Test
    default void clientsDefaultWaitIsForAcquireOnly() {
        String name = clients().name();
        try (var impatient =
                        clients().client().defaultWait(Duration.ofMillis(50)).build();
                Lease lease = clients().there(name).acquire()) {
            // Until the connection stands, 50 ms may end with "down" instead of "busy".
            clients().lock(impatient, name + "-warm").lock();
            clients().lock(impatient, name + "-warm").unlock();
            assertThatThrownBy(() -> clients().lock(impatient, name).acquire())
                    .isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageContaining("50 ms");
        }
    }

    @Test
    @Tag("reach")
    default void asyncAcquisitionWaitsWithoutItsCaller() throws Exception {
        String name = clients().name();
        CompletableFuture<Lease> waiting;
        CompletableFuture<Lease> trying;
        try (Lease lease = clients().there(name).acquire()) {
            // Opens the connection to the lock's node. Requests that wait for it leave in no order.
            assertThat(clients().here(name).isLocked()).isTrue();
            waiting = clients().here(name).acquireAsync(PATIENTLY).toCompletableFuture();
            clients().awaitWaiting(clients().here(), name, 1);
            trying = clients()
                    .here(name)
                    .tryAcquireAsync(PATIENTLY)
                    .thenApply(Optional::orElseThrow)
                    .toCompletableFuture();
            clients().awaitWaiting(clients().here(), name, 2);
            assertThat(waiting).isNotDone();
        }
        // Of a fair lock's waiters too, either may be first here: those of a client that does not listen yet are passed
        // over.
        CompletableFuture<Lease> either =
                clients().isShared() ? waiting : waiting.applyToEither(trying, first -> first);
        Lease first = ScriptedThread.outcome(either);
        CompletableFuture<Lease> other = waiting.isDone() && waiting.join() == first ? trying : waiting;
        assertThat(first.isHeld()).isTrue();
        if (clients().isShared()) {
            ScriptedThread.outcome(other);
        } else {
            assertThat(other).isNotDone();
        }
        ScriptedThread.outcome(first.releaseAsync().toCompletableFuture());
        Lease second = ScriptedThread.outcome(other);
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        second.close();
        // A permit that came for a waiter that has one by now is given back.
        clients().awaitFree(name);
    }

    @Test
    default void acquisitionThatItsCallerCompletesOrLimitsLeavesTheRoom() throws Exception {
        String name = clients().name();
        CompletableFuture<Lease> next;
        try (Lease lease = clients().there(name).acquire()) {
            List<CompletableFuture<Lease>> stages = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                stages.add(clients().here(name).acquireAsync(PATIENTLY).toCompletableFuture());
            }
            next = clients().here(name).acquireAsync(PATIENTLY).toCompletableFuture();
            clients().awaitWaiting(clients().here(), name, 5);
            stages.get(0).complete(lease);
            stages.get(1).completeExceptionally(new IllegalStateException("not needed any more"));
            stages.get(2).orTimeout(1, TimeUnit.MILLISECONDS);
            stages.get(3).completeOnTimeout(lease, 1, TimeUnit.MILLISECONDS);
            clients().awaitWaiting(clients().here(), name, 1);
            assertThat(stages).allMatch(CompletableFuture::isDone);
        }
        ScriptedThread.outcome(next).close();
        clients().awaitFree(name);
    }

    @Test
    default void acquisitionCancelledAtOnceLeavesNothing() throws Exception {
        String name = clients().name();
        for (int i = 0; i < 20; i++) {
            var acquisition = clients().here(name).acquireAsync(PATIENTLY).toCompletableFuture();
            if (!acquisition.cancel(false)) {
                ScriptedThread.outcome(acquisition).close();
            }
        }
        clients().there(name).acquire(PATIENTLY).close();
        clients().awaitFree(name);
        assertThat(clients().held(clients().here(), name)).isEmpty();
    }
}

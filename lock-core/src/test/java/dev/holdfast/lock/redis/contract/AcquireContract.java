package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.redis.fixture.Actor;
import dev.holdfast.lock.redis.fixture.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The ways to a lease: <i>acquire</i> throws, <i>try</i> answers, both also without blocking. */
interface AcquireContract extends OnStage {

    AcquireOptions BRIEFLY = AcquireOptions.defaults().waitAtMost(Duration.ofMillis(100));

    AcquireOptions PATIENTLY = AcquireOptions.defaults().waitAtMost(Stage.PATIENCE);

    @Test
    @Tag("reach")
    default void refusalNamesTheLockTheWaitAndTheHolder() {
        String name = on().name();
        try (Lease lease = on().there(name).acquire()) {
            List<String> holders = on().owners(name);
            LockNotAcquiredException busy = refusal(name);
            // Where the process stood still for longer than a command may take, nobody looks for the holder.
            for (int again = 0; again < 5 && busy.holder().isEmpty(); again++) {
                busy = refusal(name);
            }
            assertThat(busy.lockName()).isEqualTo(on().here(name).name());
            assertThat(busy.waited()).isEqualTo(Duration.ofMillis(100));
            assertThat(holders).contains(busy.holder().orElseThrow());
            assertThat(busy.remainingLease().orElseThrow())
                    .isBetween(Duration.ofMillis(1), Stage.WATCHDOG.plusMillis(1));
            assertThat(busy).hasMessageContainingAll(name, busy.holder().orElseThrow(), "100 ms");
        }
    }

    private LockNotAcquiredException refusal(String name) {
        return catchThrowableOfType(
                LockNotAcquiredException.class, () -> on().here(name).acquire(BRIEFLY));
    }

    @Test
    default void tryAcquireAnswers() {
        String name = on().name();
        try (Lease lease = on().there(name).tryAcquire().orElseThrow()) {
            assertThat(on().here(name).tryAcquire()).isEmpty();
            assertThat(on().here(name).tryAcquire(BRIEFLY)).isEmpty();
        }
        on().here(name).tryAcquire(PATIENTLY).orElseThrow().close();
    }

    @Test
    default void clientsDefaultWaitIsForAcquireOnly() {
        String name = on().name();
        try (var impatient = on().client().defaultWait(Duration.ofMillis(50)).build();
                Lease lease = on().there(name).acquire()) {
            // Until the connection stands, 50 ms may end with "down" instead of "busy".
            on().lock(impatient, name + "-warm").lock();
            on().lock(impatient, name + "-warm").unlock();
            assertThatThrownBy(() -> on().lock(impatient, name).acquire())
                    .isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageContaining("50 ms");
        }
    }

    @Test
    @Tag("reach")
    default void asyncAcquisitionWaitsWithoutItsCaller() throws Exception {
        String name = on().name();
        CompletableFuture<Lease> waiting;
        CompletableFuture<Lease> trying;
        try (Lease lease = on().there(name).acquire()) {
            // Opens the connection to the lock's node: questions that wait for it leave in no order.
            assertThat(on().here(name).isLocked()).isTrue();
            waiting = on().here(name).acquireAsync(PATIENTLY).toCompletableFuture();
            on().awaitWaiting(on().here(), name, 1);
            trying = on().here(name)
                    .tryAcquireAsync(PATIENTLY)
                    .thenApply(Optional::orElseThrow)
                    .toCompletableFuture();
            on().awaitWaiting(on().here(), name, 2);
            assertThat(waiting).isNotDone();
        }
        // Of a fair lock's waiters too, either may be first here: those of a client that does not listen yet are passed
        // over.
        CompletableFuture<Lease> either = on().isShared() ? waiting : waiting.applyToEither(trying, first -> first);
        Lease first = Actor.outcome(either);
        CompletableFuture<Lease> other = waiting.isDone() && waiting.join() == first ? trying : waiting;
        assertThat(first.isHeld()).isTrue();
        if (on().isShared()) {
            Actor.outcome(other);
        } else {
            assertThat(other).isNotDone();
        }
        Actor.outcome(first.releaseAsync().toCompletableFuture());
        Lease second = Actor.outcome(other);
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        second.close();
        // A permit that came for a waiter that has one by now is given back.
        on().awaitFree(name);
    }

    @Test
    default void asyncRefusalIsAFailureOrAnEmptyAnswer() throws Exception {
        String name = on().name();
        try (Lease lease = on().there(name).acquire()) {
            assertThat(Actor.outcome(on().here(name)
                            .tryAcquireAsync(AcquireOptions.defaults())
                            .toCompletableFuture()))
                    .isEmpty();
            assertThatThrownBy(() ->
                            Actor.outcome(on().here(name).acquireAsync(BRIEFLY).toCompletableFuture()))
                    .isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageContaining(name);
        }
    }

    @Test
    default void cancelledAcquisitionLeavesTheRoomAndTakesNoWakeUpWithIt() throws Exception {
        String name = on().name();
        CompletableFuture<Lease> next;
        try (Lease lease = on().there(name).acquire()) {
            var cancelled = on().here(name).acquireAsync(PATIENTLY).toCompletableFuture();
            next = on().here(name).acquireAsync(PATIENTLY).toCompletableFuture();
            on().awaitWaiting(on().here(), name, 2);
            assertThat(cancelled.cancel(false)).isTrue();
            on().awaitWaiting(on().here(), name, 1);
        }
        Actor.outcome(next).close();
        on().awaitFree(name);
    }

    @Test
    default void acquisitionCancelledAtOnceLeavesNothing() throws Exception {
        String name = on().name();
        for (int i = 0; i < 20; i++) {
            var acquisition = on().here(name).acquireAsync(PATIENTLY).toCompletableFuture();
            if (!acquisition.cancel(false)) {
                Actor.outcome(acquisition).close();
            }
        }
        on().there(name).acquire(PATIENTLY).close();
        on().awaitFree(name);
        assertThat(on().held(on().here(), name)).isEmpty();
    }
}

package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The message of a grant is read after the grant has ended. Until then, a call that does not wait asked under the owner id of the place: its answer
 * names no number drawn, and must not make the old grant look new.
 */
@Timeout(Await.TEST_SECONDS)
class TryBesideOldGrantTest {

    private static final String NAME = "old";
    private static final AcquireOptions WAITING = AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1));
    private static final AcquireOptions TRYING = AcquireOptions.defaults().waitAtMost(Duration.ZERO);

    /** Longer than a grant by a release. */
    private static final Duration PAUSE = Duration.ofMillis(3_100);

    static Set<ContractKind> kinds() {
        return EnumSet.of(ContractKind.REENTRANT, ContractKind.SEMAPHORE);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void lockHasOneHolderWhicheverStepTheWaiterGivesUpAt(ContractKind kind) throws Exception {
        int step = 0;
        while (waiterGivesUpAt(step, kind)) {
            step++;
        }
        assertThat(step).as("steps").isPositive();
    }

    private static boolean waiterGivesUpAt(int step, ContractKind kind) throws InterruptedException {
        SteppedClients clients = new SteppedClients();
        LeaseLock here = kind.lock(clients.client, NAME);
        LeaseLock elsewhere = kind.excluding(clients.other, NAME);
        Lease first = elsewhere.acquire();
        CompletableFuture<Lease> gone = here.acquireAsync(WAITING).toCompletableFuture();
        first.close();
        clients.pause(PAUSE);
        Lease holder = elsewhere.acquire();

        boolean stops = clients.actUntil(step, () -> {
            var unused = here.acquireAsync(TRYING);
        });
        CompletableFuture<CompletableFuture<Lease>> wanted = new CompletableFuture<>();
        clients.goOnBeside(() -> {
            gone.cancel(false);
            wanted.complete(here.acquireAsync(WAITING).toCompletableFuture());
            SteppedClients.deliver(clients.messages);
        });
        CompletableFuture<Lease> waiter = wanted.join();

        assertThat(holder.isHeld()).isTrue();
        assertThat(waiter).as("the waiter, at step %s", step).isNotDone();
        holder.close();
        SteppedClients.deliver(clients.messages);
        assertThat(waiter.join().fencingToken()).as("at step %s", step).isGreaterThan(holder.fencingToken());
        clients.client.close();
        clients.other.close();
        return stops;
    }
}

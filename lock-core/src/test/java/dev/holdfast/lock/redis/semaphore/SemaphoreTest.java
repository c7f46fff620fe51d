package dev.holdfast.lock.redis.semaphore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A semaphore as its users see it, from two clients. What it has in common with locks is in the contract, which it keeps with one permit. */
@Timeout(Await.TEST_SECONDS)
class SemaphoreTest {

    private static final AcquireOptions PATIENT = Waits.waiting(Waits.LONG);

    private final RedisServer server = RedisServer.shared();

    @AutoClose
    private final LockClient here = Waits.client(server).build();

    @AutoClose
    private final LockClient there = Waits.client(server).build();

    private final String name = Waits.name("semaphore");

    private static List<Lease> held(LeaseSemaphore semaphore, int permits) {
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < permits; i++) {
            held.add(semaphore.acquire(PATIENT));
        }
        return held;
    }

    private static CompletableFuture<Lease> wanted(LeaseSemaphore semaphore) {
        return semaphore.acquireAsync(PATIENT).toCompletableFuture();
    }

    @Test
    void permitsAreSharedByAllClientsAndNotReentrant() {
        LeaseSemaphore semaphore = here.getSemaphore(name, 3);
        held(semaphore, 2);
        held(there.getSemaphore(name, 3), 1);

        assertThat(semaphore.tryAcquire()).isEmpty();
        assertThat(there.getSemaphore(name, 3).tryAcquire()).isEmpty();
        assertThat(semaphore.availablePermits()).isZero();
        assertThat(there.getSemaphore(name, 5).availablePermits()).isEqualTo(2);
    }

    /** Each waiter but the first would otherwise sleep until the poll, although a permit is free for it. */
    @Test
    void allFreePermitsAreTakenAtOnceByTheWaitersOfOneClient() {
        try (LockClient patient =
                Waits.client(server).pollInterval(Duration.ofMinutes(2)).build()) {
            List<Lease> held = held(here.getSemaphore(name, 4), 4);
            List<CompletableFuture<Lease>> waiters = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                waiters.add(wanted(patient.getSemaphore(name, 4)));
            }
            Waits.awaitListeners(server, name, 1);

            held.forEach(Lease::close);

            Await.until(
                    "four hold a permit",
                    TwoClients.PATIENCE,
                    () -> waiters.stream().filter(CompletableFuture::isDone).count() == 4);
            assertThat(here.getSemaphore(name, 4).availablePermits()).isZero();
            waiters.stream()
                    .filter(CompletableFuture::isDone)
                    .toList()
                    .get(0)
                    .join()
                    .close();
            assertThat(waiters).allSatisfy(waiter -> Waits.get(waiter));
        }
    }

    @Test
    void releasedPermitIsHandedOverInMemoryToTheNextOfTheClient() {
        try (LockClient client = Waits.timeless(server)) {
            LeaseSemaphore semaphore = client.getSemaphore(name, 2);
            List<Lease> held = held(semaphore, 2);
            CompletableFuture<Lease> next = wanted(semaphore);
            TwoClients.awaitWaiters(client, name, 1);
            Waits.awaitListeners(server, name, 1);

            held.get(0).close();

            assertThat(Waits.get(next).fencingToken()).isEqualTo(held.get(0).fencingToken() + 1);
            assertThat(client.statistics().handOvers()).isEqualTo(1);
            assertThat(there.getSemaphore(name, 2).tryAcquire()).isEmpty();
        }
    }

    @Test
    void fairSemaphoreServesClientsInOrderOfArrival() {
        List<Lease> held = held(here.getFairSemaphore(name, 2), 2);
        FairQueue queue = new FairQueue(server, name);
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiters.add(wanted((i % 2 == 0 ? there : here).getFairSemaphore(name, 2)));
            queue.awaitLength(i + 1);
        }
        // A client that does not hear is passed if the machine stops it for half a second.
        queue.awaitHearing();
        for (int i = 0; i < 4; i++) {
            held.get(i).close();
            held.add(Waits.get(waiters.get(i)));
            assertThat(waiters.subList(i + 1, 4)).noneMatch(CompletableFuture::isDone);
        }
    }

    @Test
    void numberChangesWhileItIsHeld() {
        List<Lease> held = held(here.getSemaphore(name, 3), 3);
        CompletableFuture<Lease> one = wanted(there.getSemaphore(name, 1));
        Waits.awaitListeners(server, name, 1);

        held.get(0).close();
        held.get(1).close();
        assertThat(held.get(2).verify()).isTrue();
        assertThat(one).isNotDone();
        held.get(2).close();
        Lease alone = Waits.get(one);
        assertThat(here.getSemaphore(name, 1).tryAcquire()).isEmpty();

        assertThat(here.getSemaphore(name, 2).tryAcquire()).isPresent();
        alone.close();
    }

    @Test
    void waitersWithDifferentNumbersInOneClientAreCountedByTheirOwn() {
        List<Lease> held = held(here.getSemaphore(name, 2), 2);
        CompletableFuture<Lease> one = wanted(here.getSemaphore(name, 1));
        Waits.awaitListeners(server, name, 1);

        held.get(0).close();

        assertThat(held.get(1).verify()).isTrue();
        assertThat(one).isNotDone();
        held.get(1).close();
        Waits.get(one).close();
    }

    @Test
    void inspectShowsAllHoldersThoseFirstThatHaveHeldLongest() {
        List<Lease> held = held(here.getSemaphore(name, 3), 2);
        held.addAll(held(there.getSemaphore(name, 3), 1));

        LockState state = there.inspect(name).orElseThrow();

        assertThat(state.kind()).isEqualTo(LockKind.SEMAPHORE);
        assertThat(state.holders())
                .extracting(holder -> holder.fencingToken().orElseThrow())
                .containsExactlyElementsOf(
                        held.stream().map(Lease::fencingToken).toList());
        assertThat(state.holders())
                .allSatisfy(holder -> assertThat(holder.since()).isNotNull());
        assertThat(here.heldLocks()).extracting(HeldLock::kind).containsOnly(LockKind.SEMAPHORE);
    }

    /** An inspection visits 200 fields. */
    @Test
    void permitsThatAnInspectionDoesNotVisitAreNotFree() {
        held(here.getSemaphore(name, 250), 210);
        assertThat(there.getSemaphore(name, 250).availablePermits()).isEqualTo(40);
    }

    @Test
    void numberMustBePossible() {
        for (int permits : new int[] {0, -1, LeaseSemaphore.MAX_PERMITS + 1}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> here.getSemaphore(name, permits))
                    .withMessageContainingAll("permits", Integer.toString(permits));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> here.getLock(name, LockKind.SEMAPHORE))
                .withMessageContaining("getSemaphore");
        assertThat(here.getSemaphore(name, 2))
                .isEqualTo(here.getSemaphore(name, 2))
                .isNotEqualTo(here.getSemaphore(name, 3))
                .isNotEqualTo(here.getFairSemaphore(name, 2));
    }
}

package dev.holdfast.lock.redis.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.composite.QuorumLock;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock on a majority of three servers, all of them in good health. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuorumLockTest {

    private static QuorumClients clients;
    private static List<LockClient> here;
    private static List<LockClient> there;

    private final String name = Waits.name("quorum");
    private final LeaseLock lock = QuorumClients.lock(name, here);
    private final LeaseLock other = QuorumClients.lock(name, there);

    @BeforeAll
    static void start() {
        clients = new QuorumClients(3);
        here = clients.application();
        there = clients.application();
    }

    @AfterAll
    static void stop() {
        clients.close();
    }

    private void awaitFree() {
        Await.until("all servers are free of it", Waits.LONG, () -> clients.taken(name) == 0);
    }

    @Test
    void isTakenOnAllServersAndGivenBackOnAll() {
        try (Lease lease = lock.acquire()) {
            assertThat(lease.isHeld() && lease.verify()).isTrue();
            assertThat(lease.remaining()).isBetween(Duration.ofMillis(1), QuorumClients.LEASE);
            Await.until("the third joins", Waits.LONG, () -> clients.taken(name) == 3);
            assertThat(other.isLocked()).isTrue();
            assertThat(other.tryLock()).isFalse();
            assertThat(other.tryAcquire()).isEmpty();
        }
        awaitFree();
        assertThat(other.isLocked()).isFalse();
    }

    @Test
    void isRefusedAndGivenBackWhereAMajorityIsBusy() {
        try (Lease first = there.get(0).getLock(name).acquire();
                Lease second = there.get(2).getLock(name).acquire()) {
            assertThatThrownBy(() -> lock.acquire(Waits.waiting(Duration.ofMillis(300))))
                    .isInstanceOfSatisfying(LockNotAcquiredException.class, busy -> {
                        assertThat(busy.waited()).isEqualTo(Duration.ofMillis(300));
                        assertThat(busy.holder()).isPresent();
                    });
            Await.until("the free one is given back", Waits.LONG, () -> clients.taken(name) == 2);
            assertThat(first.isHeld() && second.isHeld()).isTrue();
        }
    }

    @Test
    void waiterWakesOnTheRelease() {
        Lease first = lock.acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(60)));
        CompletableFuture<Lease> wanted =
                other.acquireAsync(Waits.waiting(Waits.LONG)).toCompletableFuture();
        Waits.awaitListeners(clients.servers.get(0), name, 1);

        first.close();

        Waits.get(wanted).close();
        awaitFree();
    }

    @Test
    void whoWaitsDoesNotSpin() {
        try (Lease first = lock.acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(60)))) {
            clients.servers.get(1).resetStats();
            long since = System.nanoTime();

            assertThat(other.tryAcquire(Waits.waiting(Duration.ofSeconds(3)))).isEmpty();

            // A round each second, and half of what is left each time towards the end.
            assertThat(Waits.millisSince(since)).isGreaterThanOrEqualTo(2_990);
            assertThat(clients.servers.get(1).commandStats().getOrDefault("evalsha", 0L))
                    .isLessThan(60);
            assertThat(first.isHeld()).isTrue();
        }
    }

    @Test
    void contendersWhoSplitTheVotesAllGetTheirTurnAndExcludeEachOther() throws Exception {
        List<LeaseLock> contenders = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            contenders.add(QuorumClients.lock(name, here));
            contenders.add(QuorumClients.lock(name, there));
        }
        CriticalSection section = new CriticalSection();

        section.enterUnder(contenders, 8, CriticalSection::onThread);

        assertThat(section.count()).isEqualTo(8 * contenders.size());
        awaitFree();
    }

    @Test
    void interruptedWaiterLeavesNothing() throws Exception {
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        try (Lease first = lock.acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(60)))) {
            Thread waiter = new Thread(() -> {
                try {
                    other.acquire(Waits.waiting(Waits.LONG));
                } catch (RuntimeException e) {
                    outcome.complete(e);
                }
            });
            waiter.start();
            Waits.awaitListeners(clients.servers.get(0), name, 1);
            waiter.interrupt();
            waiter.join();
            assertThat(first.isHeld()).isTrue();
        }
        assertThat(outcome.get()).isInstanceOf(LockInterruptedException.class);
        awaitFree();
    }

    @Test
    void leaseCanBeExtended() {
        try (Lease lease = lock.acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(5)))) {
            lease.extend(Duration.ofSeconds(60));
            assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(50));
        }
    }

    @Test
    void clientsMustBeOddThreeOrMoreAndDistinct() {
        LockClient one = here.get(0);
        LockClient two = here.get(1);
        assertThatThrownBy(() -> QuorumLock.of(name, List.of(one))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> QuorumLock.of(name, List.of(one, two, here.get(2), there.get(0))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("odd")
                .hasMessageContaining("4");
        assertThatThrownBy(() -> QuorumLock.of(name, List.of(one, two, one)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

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
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock on a majority of three servers, all of them in good health. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuorumLockTest {

    /** Numbers drawn by servers whose clocks are many hours apart. */
    private static final List<Long> FAR_APART = List.of(inHours(23), inHours(10), 1L);

    @AutoClose
    private static QuorumClients clients;

    private static List<LockClient> here;
    private static List<LockClient> there;

    private final String name = Waits.name("quorum");
    private final LeaseLock lock = QuorumClients.lock(name, here);
    private final LeaseLock other = QuorumClients.lock(name, there);

    private static long inHours(int hours) {
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + TimeUnit.HOURS.toMicros(hours);
    }

    @BeforeAll
    static void start() {
        clients = new QuorumClients(3);
        here = clients.application();
        there = clients.application();
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
        // Otherwise, the waiter may take the first server before it joins, and wait at the second.
        Await.until("the third joins", Waits.LONG, () -> clients.taken(name) == 3);
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
    void interruptedWaiterLeavesNothing() throws Exception {
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        try (Lease first = lock.acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(60)))) {
            // Otherwise, the waiter may take the first server before it joins, and wait at the second.
            Await.until("the third joins", Waits.LONG, () -> clients.taken(name) == 3);
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

    private static void setTokensFarApart() {
        for (int i = 0; i < FAR_APART.size(); i++) {
            clients.servers.get(i).cli().set(LockKeys.TOKEN_KEY, Long.toString(FAR_APART.get(i)));
        }
    }

    /** Takes the lock while one server is somebody else's, as a client that has seen no token yet. */
    private long tokenWithout(int busy) {
        List<LockClient> newcomer = clients.application();
        setTaken(busy);
        try (Lease lease = QuorumClients.lock(name, newcomer).acquire(Waits.waiting(Waits.LONG))) {
            return lease.fencingToken();
        } finally {
            clients.servers.get(busy).cli().del(name);
            newcomer.forEach(LockClient::close);
        }
    }

    private void setTaken(int server) {
        clients.servers.get(server).cli().hset(name, "somebody:1:1", "1");
        clients.servers.get(server).cli().pexpire(name, 60_000);
    }

    @Test
    void tokensGrowWhicheverMajorityComesNext() {
        setTokensFarApart();
        // The first has the greatest number, and is not of the next majority.
        List<Integer> busy = List.of(2, 0, 1, 0, 2, 1);
        List<Long> tokens = new ArrayList<>();

        busy.forEach(server -> tokens.add(tokenWithout(server)));

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(tokens.get(1)).as("as far as the greatest of all").isGreaterThan(FAR_APART.get(0) * 1024);
    }

    @Test
    void tokensGrowIfAServersGrantIsHandedOverInAClient() {
        setTokensFarApart();
        List<LockClient> application = clients.application();
        setTaken(2);
        Lease first = QuorumClients.lock(name, application).acquire();
        // Waits for the second server's grant, which was drawn before its token was raised.
        CompletableFuture<Lease> next = application
                .get(1)
                .getLock(name)
                .acquireAsync(Waits.waiting(Waits.LONG))
                .toCompletableFuture();
        Waits.awaitListeners(clients.servers.get(1), name, 1);

        first.close();

        try (Lease second = Waits.get(next)) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        }
        clients.servers.get(2).cli().del(name);
    }

    @Test
    void raisedTokensBindEveryLaterGrantOfAnyClient() {
        setTokensFarApart();
        long high = (FAR_APART.get(0) + new Random(Nightly.Night.seed(1)).nextInt(1_000_000)) * 1024 + 7;

        here.get(2).raiseTokens(name, high).toCompletableFuture().join();

        try (Lease lease = there.get(2).getLock(name).acquire()) {
            assertThat(lease.fencingToken()).isGreaterThan(high);
        }
        // A smaller one lowers nothing.
        here.get(2).raiseTokens(name, 1).toCompletableFuture().join();
        try (Lease lease = there.get(2).getLock(name).acquire()) {
            assertThat(lease.fencingToken()).isGreaterThan(high + 1024);
        }
    }
}

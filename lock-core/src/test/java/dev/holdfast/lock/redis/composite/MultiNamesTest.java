package dev.holdfast.lock.redis.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.redis.ClientAccess;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several names of one server as one lock. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MultiNamesTest {

    /** Longer than any test waits: whoever wakes was woken by a message. */
    private static final Duration NO_POLL = Duration.ofSeconds(40);

    private static final RedisServer SERVER = RedisServer.shared();
    private static final LockClient HERE =
            Waits.client(SERVER).pollInterval(NO_POLL).build();
    private static final LockClient THERE =
            Waits.client(SERVER).pollInterval(NO_POLL).build();

    private final String a = Waits.name("a");
    private final String b = Waits.name("b");
    private final String c = Waits.name("c");

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }

    private boolean isInRedis(String name) {
        return SERVER.cli().exists(name) == 1;
    }

    @Test
    void takesAllAndGivesAllBack() {
        LeaseLock both = HERE.getMultiLock(List.of(b, a));

        both.lock();

        assertThat(isInRedis(a) && isInRedis(b)).isTrue();
        both.unlock();
        assertThat(isInRedis(a) || isInRedis(b)).isFalse();
    }

    @Test
    void takesNothingWhereOneIsBusy() {
        Lease other = THERE.getLock(c).acquire();

        assertThat(HERE.getMultiLock(List.of(a, b, c)).tryAcquire()).isEmpty();

        assertThat(isInRedis(a) || isInRedis(b)).isFalse();
        other.close();
    }

    @Test
    void refusalNamesTheHolderThatHasMostTimeLeft() {
        Lease shorter = THERE.getLock(a).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(5)));
        Lease longer = THERE.getLock(b).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(20)));
        String holder = THERE.inspect(b).orElseThrow().owner();

        assertThatThrownBy(() -> HERE.getMultiLock(List.of(a, b)).acquire(Waits.waiting(Duration.ZERO)))
                .isInstanceOfSatisfying(LockNotAcquiredException.class, busy -> {
                    assertThat(busy.holder()).contains(holder);
                    assertThat(busy.remainingLease().orElseThrow()).isGreaterThan(Duration.ofSeconds(10));
                });
        shorter.close();
        longer.close();
    }

    @Test
    void holderOfAllExcludesTheHolderOfOne() {
        try (Lease all = HERE.getMultiLock(List.of(a, b)).acquire()) {
            assertThat(THERE.getLock(a).tryLock()).isFalse();
            assertThat(THERE.getLock(b).tryAcquire()).isEmpty();
            assertThat(all.isHeld()).isTrue();
        }
        assertThat(THERE.getLock(a).tryLock()).isTrue();
        THERE.getLock(a).unlock();
    }

    @Test
    void eachKeyIsWhatTheHolderOfOneWouldWrite() {
        try (Lease all = HERE.getMultiLock(List.of(a, b))
                .acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(20)))) {
            Map<String, String> first = SERVER.cli().hgetall(a);
            assertThat(first)
                    .hasSize(3)
                    .containsEntry("holdfast:token", Long.toString(all.fencingToken()))
                    .containsEntry("holdfast:lease", "20000")
                    .containsValue("1");
            assertThat(SERVER.cli().hgetall(b)).isEqualTo(first);
            assertThat(SERVER.cli().pttl(b)).isBetween(10_000L, 20_000L);
        }
    }

    @Test
    void tokenIsGreaterThanEveryEarlierHoldersOfAnyOfThem() {
        long before;
        try (Lease one = THERE.getLock(b).acquire()) {
            before = one.fencingToken();
        }
        long together;
        try (Lease all = HERE.getMultiLock(List.of(a, b)).acquire()) {
            together = all.fencingToken();
        }
        try (Lease one = THERE.getLock(a).acquire()) {
            assertThat(List.of(before, together, one.fencingToken())).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void waiterWakesWhenTheLastOfThemIsReleased() {
        Lease first = THERE.getLock(a).acquire();
        Lease second = THERE.getLock(b).acquire();
        CompletableFuture<Lease> wanted = wanted(HERE.getMultiLock(List.of(a, b)));
        awaitOnePlace();

        second.close();
        first.close();

        Waits.get(wanted).close();
    }

    /** Whoever waits for several has one place, in the line of the lock whose holder it was refused for. */
    private void awaitOnePlace() {
        Await.until(
                "it waits in one of the lines",
                TwoClients.PATIENCE,
                () -> Waits.listeners(SERVER, a) + Waits.listeners(SERVER, b) == 1);
    }

    @Test
    void waitersForEachOfThemWakeOnTheReleaseOfAll() {
        Lease all = THERE.getMultiLock(List.of(a, b)).acquire();
        CompletableFuture<Lease> one = Waits.wanted(HERE, a);
        CompletableFuture<Lease> other = Waits.wanted(HERE, b);
        Waits.awaitListeners(SERVER, a, 1);
        Waits.awaitListeners(SERVER, b, 1);

        all.close();

        Waits.get(one).close();
        Waits.get(other).close();
    }

    private static CompletableFuture<Lease> wanted(LeaseLock lock) {
        return lock.acquireAsync(Waits.waiting(Waits.LONG)).toCompletableFuture();
    }

    @Test
    void overlappingSetsInAnyOrderExcludeEachOtherAndNobodyWaitsForEver() throws Exception {
        List<List<String>> sets = List.of(List.of(a, b), List.of(b, a), List.of(b, c), List.of(c, b), List.of(c, b, a));
        List<LeaseLock> locks = new ArrayList<>();
        for (LockClient client : List.of(HERE, THERE)) {
            sets.forEach(names -> locks.add(client.getMultiLock(names)));
        }
        // All of them have b.
        CriticalSection section = new CriticalSection();

        section.enterUnder(locks, 20, CriticalSection::onThread);

        assertThat(section.count()).isEqualTo(20 * locks.size());
        assertThat(isInRedis(a) || isInRedis(b) || isInRedis(c)).isFalse();
    }

    @Test
    void threadEntersAgainWhateverTheOrderOfTheNames() {
        HERE.getMultiLock(List.of(a, b)).lock();

        assertThat(HERE.getMultiLock(List.of(b, a, b)).tryLock()).isTrue();

        assertThat(HERE.getMultiLock(List.of(a, b)).holdCount()).isEqualTo(2);
        HERE.getMultiLock(List.of(a, b)).unlock();
        assertThat(isInRedis(a)).isTrue();
        HERE.getMultiLock(List.of(a, b)).unlock();
        assertThat(isInRedis(a)).isFalse();
    }

    @Test
    void passesOnBetweenThreadsOfOneClientWithATokenEach() {
        try (LockClient client = Waits.timeless(SERVER)) {
            Lease first = client.getMultiLock(List.of(a, b)).acquire();
            LeaseLock lock = client.getMultiLock(List.of(a, b));
            CompletableFuture<Lease> next = wanted(lock);
            Await.until(
                    "it waits", TwoClients.PATIENCE, () -> client.statistics().waiting() == 1);

            first.close();
            Lease second = Waits.get(next);

            assertThat(second.fencingToken()).as("out of the same block").isEqualTo(first.fencingToken() + 1);
            second.close();
        }
    }

    @Test
    void showsAsOneHoldAndEachNameShowsItsHolder() {
        LeaseLock both = HERE.getMultiLock(List.of(b, a));
        String name = "[" + a + ", " + b + "]";
        assertThat(both.name()).isEqualTo(name);

        try (Lease all = both.acquire()) {
            assertThat(HERE.heldLocks())
                    .filteredOn(held -> held.lockName().equals(name))
                    .singleElement()
                    .extracting(HeldLock::fencingToken)
                    .isEqualTo(all.fencingToken());
            assertThat(THERE.inspect(b).orElseThrow().holder().fencingToken()).hasValue(all.fencingToken());
            assertThat(THERE.inspect(a).orElseThrow().owner())
                    .isEqualTo(THERE.inspect(b).orElseThrow().owner());
            assertThat(THERE.getMultiLock(List.of(b, c)).isLocked()).isTrue();
        }
        assertThat(both.isLocked()).isFalse();
    }

    @Test
    void oneNameIsThatLock() {
        assertThat(HERE.getMultiLock(List.of(a, a))).isEqualTo(HERE.getLock(a)).hasSameHashCodeAs(HERE.getLock(a));
        assertThat(HERE.getMultiLock(List.of(a, b))).isEqualTo(HERE.getMultiLock(List.of(b, a)));
        assertThat(HERE.getMultiLock(List.of("x, y"))).isNotEqualTo(HERE.getMultiLock(List.of("x", "y")));
        assertThat(HERE.getLock(a)).isNotEqualTo(THERE.getLock(a));
    }

    @Test
    void unfitNamesAreRefusedBeforeAnythingIsSent() {
        assertThatThrownBy(() -> HERE.getMultiLock(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HERE.getMultiLock(Arrays.asList(a, null)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HERE.getMultiLock(List.of(a, "a}b"))).isInstanceOf(IllegalArgumentException.class);
        List<String> many = IntStream.rangeClosed(0, ClientAccess.MOST_NAMES)
                .mapToObj(Integer::toString)
                .toList();
        assertThatThrownBy(() -> HERE.getMultiLock(many))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1000");
    }

    @Test
    void aThousandNamesAreTakenAndGivenBack() {
        List<String> many =
                IntStream.range(0, ClientAccess.MOST_NAMES).mapToObj(i -> a + i).toList();

        HERE.getMultiLock(many).acquire().close();

        assertThat(SERVER.cli().exists(many.toArray(String[]::new))).isZero();
    }
}

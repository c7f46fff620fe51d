package dev.holdfast.lock.redis.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.redis.ClientAccess;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several names of one server as one lock. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MultiNamesTest {

    private static final RedisServer SERVER = RedisServer.shared();

    @AutoClose
    private static LockClient here;

    @AutoClose
    private static LockClient there;

    @BeforeAll
    static void start() {
        here = Waits.client(SERVER).build();
        there = Waits.client(SERVER).build();
    }

    private final String a = Waits.name("a");
    private final String b = Waits.name("b");
    private final String c = Waits.name("c");

    @Test
    void refusalNamesTheHolderThatHasMostTimeLeft() {
        Lease shorter = there.getLock(a).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(5)));
        Lease longer = there.getLock(b).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(20)));
        String holder = there.inspect(b).orElseThrow().owner();

        assertThatThrownBy(() -> here.getMultiLock(List.of(a, b)).acquire(Waits.waiting(Duration.ZERO)))
                .isInstanceOfSatisfying(LockNotAcquiredException.class, busy -> {
                    assertThat(busy.holder()).contains(holder);
                    assertThat(busy.remainingLease().orElseThrow()).isGreaterThan(Duration.ofSeconds(10));
                });
        shorter.close();
        longer.close();
    }

    @Test
    void eachKeyIsWhatTheHolderOfOneWouldWrite() {
        try (Lease all = here.getMultiLock(List.of(a, b))
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
    void isHandedOverBetweenThreadsOfOneClientWithATokenEach() {
        try (LockClient client = Waits.timeless(SERVER)) {
            Lease first = client.getMultiLock(List.of(a, b)).acquire();
            CompletableFuture<Lease> next = client.getMultiLock(List.of(a, b))
                    .acquireAsync(Waits.waiting(Waits.LONG))
                    .toCompletableFuture();
            Await.until(
                    "it waits", TwoClients.PATIENCE, () -> client.statistics().waiting() == 1);

            first.close();
            Lease second = Waits.get(next);

            assertThat(second.fencingToken()).as("out of the same block").isEqualTo(first.fencingToken() + 1);
            second.close();
        }
    }

    @Test
    void hasTheNamesInOrderAndEachNameShowsItsHolder() {
        LeaseLock both = here.getMultiLock(List.of(b, a));
        assertThat(both.name()).isEqualTo("[" + a + ", " + b + "]");

        try (Lease all = both.acquire()) {
            assertThat(there.inspect(b).orElseThrow().holder().fencingToken()).hasValue(all.fencingToken());
            assertThat(there.inspect(a).orElseThrow().owner())
                    .isEqualTo(there.inspect(b).orElseThrow().owner());
            assertThat(there.getMultiLock(List.of(b, c)).isLocked()).isTrue();
        }
        assertThat(both.isLocked()).isFalse();
    }

    @Test
    void oneNameIsThatLock() {
        assertThat(here.getMultiLock(List.of(a, a))).isEqualTo(here.getLock(a)).hasSameHashCodeAs(here.getLock(a));
        assertThat(here.getMultiLock(List.of(a, b))).isEqualTo(here.getMultiLock(List.of(b, a)));
        assertThat(here.getMultiLock(List.of("x, y"))).isNotEqualTo(here.getMultiLock(List.of("x", "y")));
        assertThat(here.getLock(a)).isNotEqualTo(there.getLock(a));
    }

    @Test
    void severalNamesAreInspectedAndReleasedAsOne() {
        List<String> names = List.of(b, a, c);
        assertThat(here.inspect(names)).isEmpty();
        assertThat(here.forceRelease(names)).isFalse();
        here.getMultiLock(List.of(a, b)).lock();
        assertThat(here.inspect(names)).extracting(LockState::lockName).containsExactly(a, b);
        assertThatThrownBy(() -> here.forceRelease(List.of(a, ""))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> here.inspect(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThat(here.inspect(names)).hasSize(2);
        assertThat(here.forceRelease(names)).isTrue();
        assertThat(here.inspect(names)).isEmpty();
    }

    @Test
    void unfitNamesAreRefusedBeforeAnythingIsSent() {
        assertThatThrownBy(() -> here.getMultiLock(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> here.getMultiLock(Arrays.asList(a, null)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> here.getMultiLock(List.of(a, "a}b"))).isInstanceOf(IllegalArgumentException.class);
        List<String> many = IntStream.rangeClosed(0, ClientAccess.MOST_NAMES)
                .mapToObj(Integer::toString)
                .toList();
        assertThatThrownBy(() -> here.getMultiLock(many))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1000");
    }

    @Test
    void aThousandNamesAreTakenAndGivenBack() {
        List<String> many =
                IntStream.range(0, ClientAccess.MOST_NAMES).mapToObj(i -> a + i).toList();

        here.getMultiLock(many).acquire().close();

        assertThat(SERVER.cli().exists(many.toArray(String[]::new))).isZero();
    }
}

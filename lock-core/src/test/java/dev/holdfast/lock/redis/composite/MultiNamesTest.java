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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several names of one server as one lock. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MultiNamesTest {

    private static final RedisServer SERVER = RedisServer.shared();

    @AutoClose
    private static final LockClient HERE = Waits.client(SERVER).build();

    @AutoClose
    private static final LockClient THERE = Waits.client(SERVER).build();

    private final String a = Waits.name("a");
    private final String b = Waits.name("b");
    private final String c = Waits.name("c");

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
        LeaseLock both = HERE.getMultiLock(List.of(b, a));
        assertThat(both.name()).isEqualTo("[" + a + ", " + b + "]");

        try (Lease all = both.acquire()) {
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
    void severalNamesAreInspectedAndReleasedAsOne() {
        List<String> names = List.of(b, a, c);
        assertThat(HERE.inspect(names)).isEmpty();
        assertThat(HERE.forceRelease(names)).isFalse();
        HERE.getMultiLock(List.of(a, b)).lock();
        assertThat(HERE.inspect(names)).extracting(LockState::lockName).containsExactly(a, b);
        assertThatThrownBy(() -> HERE.forceRelease(List.of(a, ""))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HERE.inspect(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThat(HERE.inspect(names)).hasSize(2);
        assertThat(HERE.forceRelease(names)).isTrue();
        assertThat(HERE.inspect(names)).isEmpty();
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

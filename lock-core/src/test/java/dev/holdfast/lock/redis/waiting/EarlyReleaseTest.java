package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A holder that releases before its minimum hold is over: waiters have the lock when that is over, not a poll or a lease later. */
@Timeout(60)
class EarlyReleaseTest {

    /** Long enough for a busy machine to bring a waiter so far that it sleeps. */
    private static final Duration MIN_HOLD = Duration.ofMillis(1_500);

    /** Takes some ten milliseconds. A fair waiter asks every two and a half seconds, all others here every five minutes. */
    private static final Duration LATENESS = Duration.ofSeconds(2);

    private final RedisServer server = RedisServer.start();
    private final LockClient holder = client();
    private final LockClient other = client();

    private LockClient client() {
        return Waits.client(server).pollInterval(Duration.ofMinutes(5)).build();
    }

    @AfterEach
    void close() {
        other.close();
        holder.close();
        server.close();
    }

    private static BiFunction<LockClient, String, LeaseLock> kind(LockKind kind) {
        return (client, name) -> client.getLock(name, kind);
    }

    static Stream<Arguments> pairs() {
        BiFunction<LockClient, String, LeaseLock> several =
                (client, name) -> client.getMultiLock(List.of(name + "-a", name + "-b"));
        return Stream.of(
                Arguments.of("plain", kind(LockKind.REENTRANT), kind(LockKind.REENTRANT)),
                Arguments.of("fair", kind(LockKind.FAIR), kind(LockKind.FAIR)),
                Arguments.of("writer behind a reader", kind(LockKind.READ), kind(LockKind.WRITE)),
                Arguments.of("reader behind a writer", kind(LockKind.WRITE), kind(LockKind.READ)),
                Arguments.of("writer behind a writer", kind(LockKind.WRITE), kind(LockKind.WRITE)),
                Arguments.of("several names", several, several));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pairs")
    void otherClientHasTheLockAtTheEndOfTheMinimumHold(
            String what,
            BiFunction<LockClient, String, LeaseLock> held,
            BiFunction<LockClient, String, LeaseLock> wanted) {
        waitsNoLonger(holder, other, held, wanted);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pairs")
    void ownClientHasTheLockAtTheEndOfTheMinimumHold(
            String what,
            BiFunction<LockClient, String, LeaseLock> held,
            BiFunction<LockClient, String, LeaseLock> wanted) {
        waitsNoLonger(holder, holder, held, wanted);
    }

    private void waitsNoLonger(
            LockClient first,
            LockClient next,
            BiFunction<LockClient, String, LeaseLock> held,
            BiFunction<LockClient, String, LeaseLock> wanted) {
        String name = "early-" + UUID.randomUUID();
        // The scripts are known to the server from here on.
        wanted.apply(next, name).acquire().close();
        long start = System.nanoTime();
        Lease lease = held.apply(first, name).acquire(AcquireOptions.defaults().minHold(MIN_HOLD));
        long before = scripts();
        CompletableFuture<Lease> waits =
                wanted.apply(next, name).acquireAsync(Waits.waiting(Waits.LONG)).toCompletableFuture();
        Await.until("asked before and after it listens", TwoClients.PATIENCE, () -> scripts() == before + 2);

        lease.close();

        Waits.get(waits).close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(MIN_HOLD, MIN_HOLD.plus(LATENESS));
    }

    /** Nothing is renewed here, so what runs is questions and releases. */
    private long scripts() {
        var stats = server.commandStats();
        return stats.getOrDefault("evalsha", 0L) + stats.getOrDefault("eval", 0L);
    }

    @Test
    void waiterAsksTwiceMore() {
        String name = "early-" + UUID.randomUUID();
        Lease lease = holder.getLock(name).acquire(AcquireOptions.defaults().minHold(MIN_HOLD));
        CompletableFuture<Lease> waits = Waits.wanted(other, name);
        Await.until("asked before and after it listens", TwoClients.PATIENCE, () -> Waits.questions(server) == 3);

        lease.close();

        Waits.get(waits);
        // How long it is, and for the lock.
        assertThat(Waits.questions(server)).isEqualTo(5);
    }
}

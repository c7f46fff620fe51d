package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A holder that releases before its minimum hold is over: waiters have the lock when that is over, not a poll or a lease later. */
@Timeout(60)
class EarlyReleaseTest {

    /** Long enough for a busy machine to bring a waiter so far that it sleeps. */
    private static final Duration MIN_HOLD = Duration.ofMillis(1_500);

    /** Takes some ten milliseconds. A fair waiter asks every two and a half seconds, all others here every five minutes. */
    private static final Duration LATENESS = Duration.ofSeconds(2);

    private final RedisServer server = RedisServer.start();
    private final List<LockClient> clients = new ArrayList<>();

    private LockClient client() {
        LockClient client =
                Waits.client(server).pollInterval(Duration.ofMinutes(5)).build();
        clients.add(client);
        return client;
    }

    @AfterEach
    void close() {
        clients.forEach(LockClient::close);
        server.close();
    }

    private interface Kind extends BiFunction<LockClient, String, LeaseLock> {}

    /** One lock, held by a client and wanted by another or by the same. */
    private final class Pair {

        private final String name = "{" + Waits.name("early") + "}";
        private final Kind held;
        private final Kind wanted;
        private final LockClient holder = client();
        private final LockClient next;
        private final String what;
        private long start;
        private volatile long end;
        private @Nullable Lease lease;
        private @Nullable CompletableFuture<Lease> waits;

        Pair(String what, Kind held, Kind wanted, boolean ownClient) {
            this.held = held;
            this.wanted = wanted;
            this.next = ownClient ? holder : client();
            this.what = what + (ownClient ? ", of the same client" : "");
        }

        /** The scripts are known to the server, and the connections stand from here on. */
        void warmUp() {
            wanted.apply(next, name).acquire().close();
            held.apply(holder, name).acquire().close();
        }

        void hold() {
            start = System.nanoTime();
            lease = held.apply(holder, name).acquire(AcquireOptions.defaults().minHold(MIN_HOLD));
        }

        void begin() {
            waits = wanted.apply(next, name)
                    .acquireAsync(Waits.waiting(Waits.LONG))
                    .toCompletableFuture()
                    .whenComplete((granted, failure) -> end = System.nanoTime());
        }

        void assertWaitedNoLonger() {
            Waits.get(waits).close();
            assertThat(Duration.ofNanos(end - start)).as(what).isBetween(MIN_HOLD, MIN_HOLD.plus(LATENESS));
        }
    }

    /** All at once, each with clients of its own: one after the other they take as many minimum holds. */
    @Test
    void waitersHaveTheLockAtTheEndOfTheMinimumHold() {
        List<Pair> pairs = Stream.of(true, false)
                .flatMap(own -> Stream.concat(
                        EnumSet.complementOf(EnumSet.of(ContractKind.COMPOSITE)).stream()
                                .map(kind -> new Pair(kind.name(), kind::lock, kind::excluding, own)),
                        Stream.of(new Pair(
                                "reader behind a writer", ContractKind.READ::excluding, ContractKind.READ::lock, own))))
                .toList();
        pairs.forEach(Pair::warmUp);
        pairs.forEach(Pair::hold);
        long before = scripts();

        pairs.forEach(Pair::begin);
        Await.until(
                "all asked before and after they listen",
                TwoClients.PATIENCE,
                () -> scripts() == before + 2L * pairs.size());
        pairs.forEach(pair -> pair.lease.close());

        pairs.forEach(Pair::assertWaitedNoLonger);
    }

    /** Nothing is renewed here, so what runs is requests and releases. */
    private long scripts() {
        var stats = server.commandStats();
        return stats.getOrDefault("evalsha", 0L) + stats.getOrDefault("eval", 0L);
    }

    @Test
    void waiterAsksTwiceMore() {
        String name = Waits.name("early");
        Lease lease = client().getLock(name).acquire(AcquireOptions.defaults().minHold(MIN_HOLD));
        CompletableFuture<Lease> waits = Waits.wanted(client(), name);
        Await.until("asked before and after it listens", TwoClients.PATIENCE, () -> Waits.requests(server) == 3);

        lease.close();

        Waits.get(waits);
        // How long it is, and for the lock.
        assertThat(Waits.requests(server)).isEqualTo(5);
    }
}

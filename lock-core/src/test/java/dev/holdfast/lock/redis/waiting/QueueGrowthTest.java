package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.ScriptConnection.now;
import static dev.holdfast.lock.redis.fixture.ScriptConnection.terms;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No request makes Redis do more because many wait for a lock, have died waiting, or hold it. */
@Timeout(Await.TEST_SECONDS)
class QueueGrowthTest {

    private static final int FEW = 300;
    private static final int MANY = 1_500;
    /** So many requests that Redis answers all of them within the command timeout, also on a busy machine. */
    private static final int AT_ONCE = 100;

    private final RedisServer server = RedisServer.start();
    private final ScriptConnection connection = new ScriptConnection(server);
    private final LockProtocol fair = ScriptConnection.protocol(LockKind.FAIR, connection.gateway);
    private final LockProtocol read = ScriptConnection.protocol(LockKind.READ, connection.gateway);
    private final LockProtocol write = ScriptConnection.protocol(LockKind.WRITE, connection.gateway);

    @AfterEach
    void close() {
        connection.close();
        server.close();
    }

    private static AcquireRequest request(String name, String owner, long lifetime) {
        return new AcquireRequest(name, name, owner, terms(60_000), 1, 0, lifetime, true, null);
    }

    /** How many commands Redis runs, those inside scripts included. */
    private long commands(Runnable request) {
        server.resetStats();
        request.run();
        return server.commandStats().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private FairQueue heldWithPlaces(int places, String client, Duration left) {
        FairQueue queue = new FairQueue(server);
        now(fair.acquire(request(queue.name(), "holder:1:1", 5_000)));
        queue.plantAll(
                IntStream.range(0, places).mapToObj(i -> client + i + ":1:1").toList(), left);
        return queue;
    }

    private long releaseOf(FairQueue queue) {
        return commands(() -> now(fair.release(queue.name(), "holder:1:1", 0, 0)));
    }

    @Test
    void releaseBehindClientsThatDoNotListenOrPlacesWhoseDeadlineHasPassed() {
        for (Duration left : List.of(Duration.ofMinutes(1), Duration.ofMillis(-1))) {
            releaseOf(heldWithPlaces(1, "deaf", left));
            long few = releaseOf(heldWithPlaces(FEW, "deaf", left));
            assertThat(releaseOf(heldWithPlaces(MANY, "deaf", left)))
                    .isEqualTo(few)
                    .isLessThan(250);
        }
    }

    @Test
    void releasePassesOverManyPlacesOfOneClientThatDoesNotListen() {
        int places = 2_000;
        try (LockClient client = Waits.client(server).build()) {
            FairQueue queue = heldWithPlaces(places, "deaf:1:", Duration.ofMinutes(1));
            CompletableFuture<Lease> behind = queue.queued(client);
            queue.awaitHearing();
            String waiting = queue.owners().get(places);
            assertThat(releaseOf(queue)).isLessThan(250);
            assertThat(server.cli().hkeys(queue.name()))
                    .as("granted by the release itself")
                    .anyMatch(field -> field.equals(waiting));
            assertThat(behind.join().isHeld()).isTrue();
        }
    }

    @Test
    void requestOfAFairWaiterBesideAPlaceOfAPatientClient() {
        assertThat(requestBehind(MANY)).isEqualTo(requestBehind(FEW));
    }

    private long requestBehind(int places) {
        FairQueue queue = heldWithPlaces(places, "ours", Duration.ofSeconds(5));
        queue.plant("patient:1:1", Duration.ofSeconds(16));
        now(fair.acquire(request(queue.name(), "asker:1:1", 5_000)));
        return commands(() -> now(fair.acquire(request(queue.name(), "asker:1:1", 5_000))));
    }

    @Test
    void requestOfAWriterBesideReaders() {
        assertThat(writersRequestBeside(readers(FEW))).isLessThan(20);
        assertThat(writersRequestBeside(readers(MANY))).isLessThan(20);
    }

    private long writersRequestBeside(String name) {
        return commands(() -> now(write.acquire(request(name, "writer:1:1:0", 5_000))));
    }

    private String readers(int count) {
        String name = Waits.name("readers");
        List<CompletionStage<?>> reading = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            reading.add(read.acquire(request(name, "reader:1:" + i + ":0", 0)));
            if (reading.size() == AT_ONCE) {
                reading.forEach(ScriptConnection::now);
                reading.clear();
            }
        }
        reading.forEach(ScriptConnection::now);
        return name;
    }

    /** One living reader among the first that it visits is enough. */
    @Test
    void releaseOfAReaderBesideOthers() {
        String name = readers(MANY);
        assertThat(commands(() -> now(read.release(name, "reader:1:0:0", 0, 0))))
                .isLessThan(250);
    }

    /** Each next request goes on behind those that the last one removed. */
    @Test
    void writerGetsPastManyDeadReaders() {
        String name = Waits.name("dead-readers");
        Map<String, String> dead = new HashMap<>(Map.of("mode", "read"));
        for (int i = 0; i < MANY; i++) {
            dead.put("dead:1:" + i + ":0", "1");
        }
        server.cli().hset(name, dead);
        server.cli().pexpire(name, 60_000);
        int requests = 1;
        while (now(write.acquire(request(name, "writer:1:1:0", 5_000))) instanceof Answer.Busy) {
            assertThat(++requests).isLessThan(20);
        }
        assertThat(server.cli().hexists(name, "writer:1:1:0:write")).isTrue();
    }

    @Test
    void refusedCallerOfALockWithManyPlacesOrReaders() {
        try (LockClient client = Waits.client(server).build()) {
            assertThat(client.getLock("warm").tryLock()).isTrue();
            FairQueue queue = heldWithPlaces(MANY, "ours", Duration.ofMinutes(1));
            assertThat(commands(() -> assertThat(queue.lock(client).tryLock()).isFalse()))
                    .isLessThan(40);
            String name = readers(MANY);
            assertThat(commands(
                            () -> assertThat(client.getLock(name).isLocked()).isTrue()))
                    .isLessThan(80);
            assertThat(commands(() -> assertThat(
                                    client.getLock(name, LockKind.WRITE).tryLock())
                            .isFalse()))
                    .isLessThan(80);
        }
    }

    @Test
    void stateShowsTwentyHoldersAndPlacesAndCountsTheOthers() {
        try (LockClient client = Waits.client(server).build()) {
            LockState queue = client.inspect(
                            heldWithPlaces(FEW, "ours", Duration.ofMinutes(1)).name())
                    .orElseThrow();
            assertThat(queue.queue()).hasSize(20).startsWith("ours0:1:1");
            assertThat(queue.queueLength()).isEqualTo(FEW);
            LockState readers = client.inspect(readers(FEW)).orElseThrow();
            assertThat(readers.holders()).hasSize(20);
            assertThat(readers.holderCount()).isEqualTo(FEW);
        }
    }

    @Test
    void stateOfAReadWriteLockShowsWhoWaits() {
        try (LockClient holder = Waits.client(server).build();
                LockClient client = Waits.client(server).build()) {
            Lease held = holder.getLock("shown", LockKind.READ).acquire();
            CompletableFuture<Optional<Lease>> writer = client.getLock("shown", LockKind.WRITE)
                    .tryAcquireAsync(Waits.waiting(Waits.LONG))
                    .toCompletableFuture();
            List<String> waiting = new ArrayList<>();
            Await.until("the writer has a place", Waits.LONG, () -> {
                waiting.clear();
                waiting.addAll(holder.inspect("shown").orElseThrow().queue());
                return !waiting.isEmpty();
            });
            assertThat(waiting).singleElement().asString().doesNotEndWith(":write");
            held.close();
            assertThat(writer.join()).isPresent();
        }
    }
}

package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.test.memory.MemoryGateway;
import dev.holdfast.lock.test.memory.MemoryGateway.Command;
import dev.holdfast.lock.test.memory.MemoryGateway.Traffic;
import dev.holdfast.lock.test.memory.MemoryRedis;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that reach Redis late, answers that never come, messages that a client reads late, and a number that Redis loses, in virtual time. */
@Timeout(Await.TEST_SECONDS)
class LateCommandsTest {

    private static final String NAME = "late";
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration WAIT = Duration.ofMinutes(1);

    private enum Link {
        IS_UP,
        /** Redis executes the commands when the test says so, or never. */
        KEEPS_COMMANDS,
        LOSES_ANSWERS
    }

    private final VirtualClock clock = new VirtualClock();
    private Duration paused = Duration.ZERO;
    private final Queue<Runnable> messages = new ArrayDeque<>();
    private final Deque<Runnable> requests = new ArrayDeque<>();
    private final MemoryRedis server = new MemoryRedis(this::now, Instant.EPOCH, messages::add);
    private Link link = Link.IS_UP;
    private long interruptions;

    private final Traffic traffic = new Traffic() {
        @Override
        public <T> CompletableFuture<T> send(String name, List<String> keys, List<String> args, Command<T> command) {
            if (link == Link.IS_UP) {
                return Traffic.executed(command);
            } else if (link == Link.LOSES_ANSWERS) {
                command.execute();
            } else if (name.equals("acquire")) {
                interruptions = 1;
                requests.add(command::execute);
            }
            return CompletableFuture.failedFuture(RedisFailure.simulated(Kind.NO_ANSWER, "no answer"));
        }

        @Override
        public long interruptions() {
            return interruptions;
        }
    };

    @AutoClose
    private LockClient client;

    @AutoClose
    private LockClient other;

    @BeforeEach
    void start() {
        client = client(traffic);
        other = client(Traffic.DIRECT);
    }

    /** No time passes while a client closes, so what it repeats would last for its command timeout. */
    @AfterEach
    void endWhatIsRepeated() {
        clock.advance(LEASE);
    }

    private LockClient client(Traffic on) {
        return VirtualClients.builder(clock, (settings, timer, ticker) -> new MemoryGateway(server, on, ticker))
                .clock(this::now)
                .build();
    }

    private long now() {
        return clock.now() + paused.toNanos();
    }

    private CompletableFuture<Lease> wanted() {
        return client.getLock(NAME)
                .acquireAsync(AcquireOptions.defaults().waitAtMost(WAIT))
                .toCompletableFuture();
    }

    private boolean isFree() {
        return other.getLock(NAME).tryAcquire().isPresent();
    }

    /** Without that, the place would stay until its deadline, five seconds after its last request. */
    @Test
    void placeIsLeftOnceRedisAnswersAgain() {
        Lease held = other.getLock(NAME).acquire();
        CompletableFuture<Lease> wanted = wanted();
        clock.advance(Duration.ofMillis(10));
        assertThat(other.inspect(NAME).orElseThrow().queue()).hasSize(1);

        link = Link.KEEPS_COMMANDS;
        wanted.cancel(false);
        clock.advance(Duration.ofMillis(500));
        link = Link.IS_UP;
        clock.advance(Duration.ofSeconds(1));

        assertThat(other.inspect(NAME).orElseThrow().queue()).isEmpty();
        assertThat(held.isHeld()).isTrue();
    }

    /** All requests of one place are lost before one is answered: each may have been sent on a connection that has ended. */
    @ParameterizedTest
    @CsvSource({"true, 0", "false, 0", "false, 800"})
    void lockIsFreeSoonAfterALostRequestArrivesBehindTheRelease(boolean first, int heldMillis) {
        link = Link.KEEPS_COMMANDS;
        CompletableFuture<Lease> wanted = client.getLock(NAME)
                .acquireAsync(AcquireOptions.defaults().lease(LEASE).waitAtMost(WAIT))
                .toCompletableFuture();
        clock.advance(LEASE.minusMillis(500));
        link = Link.IS_UP;
        clock.advance(Duration.ofMillis(200 + heldMillis));
        wanted.join().close();

        if (first) {
            requests.getFirst().run();
        } else {
            // The lease that the first request asked for is over by now, and that of the last one is not.
            clock.advance(Duration.ofMillis(800 - heldMillis));
            requests.getLast().run();
        }

        assertThat(isFree()).isFalse();
        clock.advance(Duration.ofSeconds(1));
        assertThat(isFree()).isTrue();
    }

    /** Redis renews the lease, but the answer never reaches the holder. */
    private void loseALease() {
        Lease lease = client.getLock(NAME).acquire();
        link = Link.LOSES_ANSWERS;
        clock.advance(Duration.ofSeconds(29));
        assertThat(lease.isHeld()).isFalse();
        link = Link.IS_UP;
    }

    @Test
    void leaseThatEndsByTheClockIsReleasedWhenItWouldHaveEndedInRedis() {
        loseALease();

        clock.advance(Duration.ofMillis(990));
        assertThat(isFree()).isFalse();
        clock.advance(Duration.ofMillis(20));
        assertThat(isFree()).isTrue();
    }

    @Test
    void clientThatClosesReleasesALeaseThatHasEndedByTheClockAtOnce() {
        loseALease();

        client.close();

        assertThat(isFree()).isTrue();
    }

    /** Redisson draws no number, so the last one is still that of the grant. */
    @Test
    void grantThatEndedBeforeAClientOfRedissonCameIsNotUsed() {
        Lease held = other.getLock(NAME).acquire();
        CompletableFuture<Lease> wanted = wanted();
        held.close();
        paused = Duration.ofMillis(3_100);
        server.command("hset", NAME, "8743c9c0-0795-4907-87fd-6c719a6b4586:1", "1");
        server.command("pexpire", NAME, "60000");
        clock.advance(Duration.ofSeconds(3));

        messages.forEach(Runnable::run);

        assertThat(messages).isNotEmpty();
        assertThat(wanted).isNotDone();
    }

    /** The number is ahead of the server's clock, so the next one does not follow from the clock. */
    @Test
    void tokenAfterAGrantByAReleaseIsGreaterThoughRedisHasLostTheLastNumber() {
        server.command("set", "holdfast:token", Long.toString(TimeUnit.HOURS.toMicros(24)));
        Lease held = other.getLock(NAME).acquire();
        CompletableFuture<Lease> wanted = wanted();
        held.close();
        messages.forEach(Runnable::run);
        Lease granted = wanted.join();
        granted.close();

        server.command("del", "holdfast:token");

        assertThat(client.getLock(NAME).acquire().fencingToken()).isGreaterThan(granted.fencingToken());
    }
}

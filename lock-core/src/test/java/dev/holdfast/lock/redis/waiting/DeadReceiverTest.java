package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.awaitListeners;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ChildProcess;
import dev.holdfast.lock.testing.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The next in the queue is a process that was stopped or killed. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(60)
class DeadReceiverTest {

    private static final long FIRST_LEASE_MILLIS = 3_000;
    private static final long POLL_MILLIS = 1_000;
    private static final long MARGIN_MILLIS = 1_500;

    private final RedisServer server = RedisServer.start();
    private final LockClient holder = Waits.client(server).build();
    private final LockClient behind = Waits.client(server).build();
    private final String name = Waits.name("receiver");
    private Process process;
    private Lease first;
    private CompletableFuture<Lease> next;

    @BeforeEach
    void waitBehindTheProcess() throws IOException {
        first = held(holder, name);
        process = ChildProcess.running(Receiver.class, server.uri().toURI().toString(), name)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Await.until("the process waits", Waits.LONG, () -> Waits.listeners(server, name) == 1);
        next = wanted(behind, name);
        awaitListeners(server, name, 2);
        new FairQueue(server, name).awaitHearing();
    }

    @AfterEach
    void close() {
        process.destroyForcibly();
        behind.close();
        holder.close();
        server.close();
    }

    @Test
    void killedReceiverCostsNothing() throws Exception {
        process.destroyForcibly().waitFor();
        awaitListeners(server, name, 1);
        long polls = behind.statistics().wakeUpsByPoll();
        long released = System.nanoTime();

        first.close();

        Lease lease = get(next);
        assertThat(millisSince(released)).isLessThan(FIRST_LEASE_MILLIS / 2);
        assertThat(server.cli().hget(name, "holdfast:granted"))
                .as("granted by the release")
                .isEqualTo("1");
        assertThat(behind.statistics().wakeUpsByPoll() - polls).isLessThanOrEqualTo(1);
        lease.close();
    }

    @Test
    void stoppedReceiverCostsItsFirstLeaseAndAPollAndHoldsNothingWhenItGoesOn() throws Exception {
        signal("STOP");
        long released = System.nanoTime();

        first.close();

        Lease lease = get(next);
        long waited = millisSince(released);
        signal("CONT");
        try (BufferedReader told =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            CompletableFuture<String> said = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return told.readLine();
                        } catch (IOException e) {
                            throw new java.io.UncheckedIOException(e);
                        }
                    },
                    CriticalSection::onThread);
            assertThat(waited).isBetween(FIRST_LEASE_MILLIS - 1_000, FIRST_LEASE_MILLIS + POLL_MILLIS + MARGIN_MILLIS);
            // It reads the message of a grant that is over, and must ask: the lock is held.
            Await.until("it is in the queue again", TwoClients.PATIENCE, () -> Waits.listeners(server, name) == 1);
            assertThat(said).isNotDone();
            assertThat(lease.verify()).isTrue();
            lease.close();
            assertThat(Long.parseLong(said.orTimeout(20, java.util.concurrent.TimeUnit.SECONDS)
                            .join()))
                    .isGreaterThan(lease.fencingToken());
        }
    }

    private void signal(String signal) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** The other process: says which token it got. */
    static final class Receiver {

        private Receiver() {}

        public static void main(String[] args) {
            LockClient client = RedisLockClient.builder(RedisSource.of(args[0]))
                    .checkAtStart(false)
                    .build();
            Lease lease = client.getLock(args[1]).acquire(Waits.waiting(Waits.LONG));
            System.out.println(lease.fencingToken());
            lease.close();
            client.close();
        }
    }
}

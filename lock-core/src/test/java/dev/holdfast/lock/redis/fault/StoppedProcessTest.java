package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.ChildProcess;
import dev.holdfast.lock.testing.RedisServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A process is stopped while it holds a lock, for longer than its lease. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(60)
class StoppedProcessTest {

    private static final Duration LEASE = Duration.ofMillis(1_000);

    private final RedisServer server = RedisServer.shared();
    private final String name = "stopped-" + UUID.randomUUID();

    @Test
    void knowsAtItsNextLookAndTouchesNothing() throws Exception {
        Process process = ChildProcess.running(
                        Holder.class, server.uri().toURI().toString(), name)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader answers = process.inputReader(StandardCharsets.UTF_8);
                PrintWriter requests = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
                LockClient competitor = Waits.client(server).build()) {
            assertThat(answers.readLine()).isEqualTo("locked");

            ChildProcess.signal(process, "STOP");
            Lease next = competitor.getLock(name).acquire();
            Map<String, String> state = server.cli().hgetall(name);
            // The request is waiting when the process goes on: no timer of the process may be needed to answer it.
            requests.println("look");
            ChildProcess.signal(process, "CONT");

            assertThat(answers.readLine()).isEqualTo("held false");
            requests.println("unlock");
            assertThat(answers.readLine()).isEqualTo("lost UNCONFIRMED");
            // What a late owner clears up after itself comes a little later.
            Pause.of(LEASE.dividedBy(2));
            assertThat(server.cli().hgetall(name)).isEqualTo(state);
            assertThat(next.verify()).isTrue();
            next.close();
        } finally {
            process.destroyForcibly();
        }
    }

    /** The other process: answers what it is asked. */
    static final class Holder {

        private Holder() {}

        public static void main(String[] args) throws Exception {
            BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            PrintWriter answers = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
            LockClient client =
                    Waits.client(RedisSource.of(args[0])).watchdogTimeout(LEASE).build();
            client.getLock(args[1]).lock();
            // Not whether it is held: a process without a processor for a second has lost it, as a stopped one has.
            answers.println("locked");
            requests.readLine();
            answers.println("held " + client.getLock(args[1]).isHeldByCurrentThread());
            requests.readLine();
            try {
                client.getLock(args[1]).unlock();
                answers.println("released");
            } catch (LeaseLostException e) {
                answers.println("lost " + e.loss().cause());
            }
            requests.readLine();
        }
    }
}

package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ChildProcess;
import dev.holdfast.lock.testing.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The poll is too long to help: the waiter sleeps until the end of the dead holder's lease and no longer. */
class DeadHolderTest {

    private static final Duration LEASE = Duration.ofMillis(1_500);

    private final RedisServer server = RedisServer.shared();

    @Test
    void lockOfAKilledProcessIsFreeAfterItsLease() throws Exception {
        String name = name("killed");
        try (LockClient waiter =
                Waits.client(server).pollInterval(Duration.ofSeconds(25)).build()) {
            Process process = Holder.start(server, name);
            try {
                CompletableFuture<Lease> next = wanted(waiter, name);
                // So it is renewed, too, until its process dies.
                long began = System.nanoTime();
                Await.until("the lease's end", Waits.LONG, () -> millisSince(began) > LEASE.toMillis());
                assertThat(next).isNotDone();

                process.destroyForcibly().waitFor();
                long died = System.nanoTime();

                get(next).close();
                assertThat(millisSince(died)).isLessThan(LEASE.toMillis() + Waits.SOON_MILLIS);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    @Test
    void lockIsGrantedWhenTheLeaseEndsAndNotEarlier() {
        String name = name("expired");
        try (LockClient waiter =
                Waits.client(server).pollInterval(Duration.ofSeconds(25)).build()) {
            server.cli().hset(name, "elsewhere:1", "1");
            server.cli().pexpire(name, LEASE.toMillis());
            long began = System.nanoTime();

            get(wanted(waiter, name)).close();

            assertThat(millisSince(began)).isBetween(LEASE.toMillis() - 20, LEASE.toMillis() + Waits.SOON_MILLIS);
        }
    }

    /** Another process, which holds a lock until it is killed. */
    static final class Holder {

        private Holder() {}

        static Process start(RedisServer server, String name) throws IOException {
            Process process = ChildProcess.running(
                            Holder.class, server.uri().toURI().toString(), name)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            BufferedReader output =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            for (String line = output.readLine(); !"held".equals(line); line = output.readLine()) {
                if (line == null) {
                    throw new IllegalStateException("The holder's process ended early");
                }
            }
            return process;
        }

        public static void main(String[] args) throws InterruptedException {
            LockClient client = RedisLockClient.builder(RedisSource.of(args[0]))
                    .checkAtStart(false)
                    .watchdogTimeout(LEASE)
                    .build();
            client.getLock(args[1]).lock();
            System.out.println("held");
            new CountDownLatch(1).await();
        }
    }
}

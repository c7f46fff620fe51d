package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.testing.ChildProcess;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two processes count in one file, each by reading it and writing it anew. */
class ProcessExclusionTest {

    private static final int TIMES = 150;

    @Test
    @Timeout(60)
    void processesExcludeEachOther(@TempDir Path folder) throws Exception {
        RedisServer server = RedisServer.shared();
        String name = "processes-" + UUID.randomUUID();
        Path counter = Files.writeString(folder.resolve("counter"), "0");
        Process child = ChildProcess.running(Child.class, server.uri().toURI().toString(), name, counter.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("child.log").toFile())
                .start();
        try (LockClient client = Waits.client(server).build()) {
            // From here on both want it.
            while (read(counter) == 0 && child.isAlive()) {
                LockSupport.parkNanos(1_000_000);
            }
            count(client, name, counter);
            assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            child.destroyForcibly();
        }
        assertThat(child.exitValue())
                .as(Files.readString(folder.resolve("child.log")))
                .isZero();
        assertThat(read(counter)).isEqualTo(2 * TIMES);
    }

    private static void count(LockClient client, String name, Path counter) {
        for (int i = 0; i < TIMES; i++) {
            client.getLock(name).lock();
            try {
                int seen = read(counter);
                Thread.yield();
                Files.writeString(counter, Integer.toString(seen + 1));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                client.getLock(name).unlock();
            }
        }
    }

    /** Whoever looks without the lock may find the file empty for a moment. */
    private static int read(Path counter) {
        try {
            String text = Files.readString(counter);
            return text.isEmpty() ? 0 : Integer.parseInt(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The other process. */
    static final class Child {

        private Child() {}

        public static void main(String[] args) {
            try (LockClient client = RedisLockClient.builder(RedisSource.of(args[0]))
                    .checkAtStart(false)
                    .build()) {
                count(client, args[1], Path.of(args[2]));
            }
        }
    }
}

package dev.holdfast.check;

import dev.holdfast.lock.proxy.FreePorts;
import dev.holdfast.lock.proxy.GuardedProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server that is started for the check. It keeps nothing, and ends with this process. */
final class StartedServer {

    private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);

    private StartedServer() {}

    /**
     * Starts a server on 127.0.0.1 and returns its port.
     *
     * @throws IllegalStateException if the binary is not a Redis server. The message contains its output
     */
    static int from(Path binary) throws InterruptedException {
        int port = FreePorts.next();
        GuardedProcess server = GuardedProcess.start(
                folder(),
                binary.toAbsolutePath(),
                List.of("--port", String.valueOf(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"));
        long begin = System.nanoTime();
        while (!listens(port)) {
            if (!server.isAlive() || System.nanoTime() - begin > LIMIT) {
                throw new IllegalStateException("Could not start " + binary + ": " + server.log());
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return port;
    }

    private static Path folder() {
        try {
            Path folder = Files.createTempDirectory("holdfast-check-redis-");
            // Of a server that ended before this process. They are deleted in the opposite order.
            folder.toFile().deleteOnExit();
            folder.resolve(GuardedProcess.LOG).toFile().deleteOnExit();
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }
}

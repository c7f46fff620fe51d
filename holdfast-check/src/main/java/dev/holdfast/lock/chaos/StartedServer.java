package dev.holdfast.lock.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A server that the check starts on 127.0.0.1 and ends. It keeps its data in memory. */
final class StartedServer implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 10;

    private final int port;
    private final Path log;
    private final Process process;

    /** @param binary a {@code redis-server} or {@code valkey-server} */
    StartedServer(Path binary) {
        try {
            port = freePort();
            Path folder = Files.createTempDirectory("holdfast-check-");
            log = folder.resolve("server.log");
            process = new ProcessBuilder(List.of(
                            binary.toString(),
                            "--port",
                            Integer.toString(port),
                            "--bind",
                            "127.0.0.1",
                            "--save",
                            "",
                            "--appendonly",
                            "no",
                            "--dir",
                            folder.toString()))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        } catch (IOException e) {
            throw new IllegalArgumentException(binary + " does not start: " + e.getMessage(), e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        awaitAnswer();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void awaitAnswer() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!accepts()) {
            if (!process.isAlive() || System.nanoTime() - end > 0) {
                close();
                throw new IllegalArgumentException("The server does not start: " + printed());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private String printed() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return "it printed nothing";
        }
    }

    private boolean accepts() {
        try {
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    String address() {
        return "redis://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

package dev.holdfast.lock.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A real Redis without persistence, on a free port of the loopback address. It ends when it is closed or when this JVM ends for any reason. */
public final class EmbeddedRedisServer implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final int MOST_STARTS = 5;
    private static final long START_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** Holds the shared server, which is started on first use. */
    private static final class Shared {
        static final EmbeddedRedisServer SERVER = start();
    }

    private final Process process;
    private final int port;

    private EmbeddedRedisServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Returns the server that all tests of this JVM share. It must not be closed. */
    public static EmbeddedRedisServer shared() {
        return Shared.SERVER;
    }

    /**
     * Starts a server that no other test uses.
     *
     * @throws IllegalStateException if there is no binary for this machine, or it does not start
     */
    public static EmbeddedRedisServer start() {
        try {
            String binary = EmbeddedRedisBinary.path();
            for (int i = 0; i < MOST_STARTS; i++) {
                EmbeddedRedisServer started = tryStart(binary);
                if (started != null) {
                    return started;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("Redis did not start on any of " + MOST_STARTS + " free ports");
    }

    /** Starts a server on a free port. Returns null if the server ended, because the port was taken in the meantime. */
    private static @Nullable EmbeddedRedisServer tryStart(String binary) throws IOException {
        int port = freePort();
        Process process = new ProcessBuilder(command(binary, port))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        long end = System.nanoTime() + START_LIMIT_NANOS;
        while (process.isAlive() && System.nanoTime() - end < 0) {
            if (answers(port)) {
                return new EmbeddedRedisServer(process, port);
            }
            pause();
        }
        process.getOutputStream().close();
        return null;
    }

    /** Returns the command for a shell that stops the server when the shell's input ends. The input ends with this JVM, even if the JVM is killed. */
    private static List<String> command(String binary, int port) {
        return List.of(
                "sh",
                "-c",
                "exec 3<&0; \"$0\" \"$@\" </dev/null 3<&- & server=$!; (read line <&3; kill -9 $server) & wait $server; kill $!",
                binary,
                "--port",
                Integer.toString(port),
                "--bind",
                HOST,
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                System.getProperty("java.io.tmpdir"));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            socket.setSoTimeout(1_000);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            return socket.getInputStream().read() == '+';
        } catch (IOException e) {
            return false;
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while Redis started", e);
        }
    }

    /** Returns the server's address. */
    public String host() {
        return HOST;
    }

    /** Returns the server's port. */
    public int port() {
        return port;
    }

    /** Returns the server's address for {@link dev.holdfast.lock.redis.RedisSource#of(String)}. */
    public String uri() {
        return "redis://" + HOST + ":" + port;
    }

    /** Stops the server at once. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}

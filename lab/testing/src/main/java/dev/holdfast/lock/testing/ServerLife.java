package dev.holdfast.lock.testing;

import dev.holdfast.lock.proxy.FreePorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The lives of one server: one port and one folder, and as many processes after each other as the test wants. Whatever a
 * test leaves running ends with the JVM.
 */
final class ServerLife {

    private static final Set<ServerLife> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(ServerLife::close)));
    }

    private final Launcher launcher;
    private final ServerFolder folder;
    private final List<String> arguments;
    private final int port;
    private Launcher.@Nullable Running running;
    private boolean paused;

    ServerLife(Launcher launcher, ServerFolder folder, int port, List<String> arguments) {
        this.launcher = launcher;
        this.folder = folder;
        this.port = port;
        this.arguments = List.copyOf(arguments);
        OPEN.add(this);
    }

    String origin() {
        return launcher.origin();
    }

    ServerFolder folder() {
        return folder;
    }

    /** The last lines the server wrote, for error messages. */
    synchronized String log() {
        return running().log();
    }

    int port() {
        return port;
    }

    synchronized void start() {
        if (isAlive()) {
            throw new IllegalStateException("The server on port " + port + " already runs");
        }
        paused = false;
        running = launcher.launch(folder.path(), arguments);
        Await.until("the server on port " + port + " answers", Duration.ofSeconds(20), this::answers);
    }

    synchronized boolean isAlive() {
        return running != null && running.isAlive();
    }

    synchronized boolean isServing() {
        return isAlive() && !paused;
    }

    synchronized void kill() {
        if (isAlive()) {
            running().kill();
        }
    }

    synchronized void terminate() {
        if (isAlive()) {
            running().terminate();
        }
    }

    synchronized void pause() {
        running().pause();
        paused = true;
    }

    synchronized void resume() {
        running().resume();
        paused = false;
    }

    void close() {
        kill();
        folder.delete();
        FreePorts.giveBack(port);
        OPEN.remove(this);
    }

    /** Any answer will do except that the server is still loading; one that wants a password is up as well. */
    private boolean answers() throws IOException {
        if (!isAlive()) {
            throw new DiedAtStart(port, log());
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            String answer = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            return answer != null && !answer.startsWith("-LOADING");
        }
    }

    private Launcher.Running running() {
        if (running == null) {
            throw new IllegalStateException("The server on port " + port + " was never started");
        }
        return running;
    }

    /** A server that ended instead of listening, with its last words. An error, so that waiting for it stops at once. */
    static final class DiedAtStart extends Error {

        private static final long serialVersionUID = 1L;

        private final boolean portTaken;

        DiedAtStart(int port, String log) {
            super("The server on port " + port + " ended at its start and said:\n" + log);
            this.portTaken = log.contains("Address already in use") || log.contains("bind:");
        }

        boolean portTaken() {
            return portTaken;
        }
    }
}

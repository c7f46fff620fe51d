package dev.holdfast.lock.sample.fleet;

import dev.holdfast.lock.sample.SampleApplication;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One instance of the shop: a name, an address, and most of the time a process. */
final class Instance {

    private final String name;
    private final int port;
    private final Path log;
    private final List<String> arguments;
    private final Map<String, String> variables;
    private @Nullable GuardedProcess process;
    private boolean paused;
    private boolean answered;

    Instance(String name, int port, Path folder, List<String> arguments, Map<String, String> variables) {
        this.name = name;
        this.port = port;
        this.log = folder.resolve(name + ".log");
        this.arguments = arguments;
        this.variables = variables;
    }

    String name() {
        return name;
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    Path log() {
        return log;
    }

    synchronized State state() {
        if (process == null || !process.isAlive()) {
            return State.GONE;
        }
        if (paused) {
            return State.PAUSED;
        }
        return answered ? State.RUNNING : State.STARTING;
    }

    /** It has answered a request since its start. */
    synchronized void answered() {
        answered = true;
    }

    synchronized void start() {
        if (state() == State.GONE) {
            paused = false;
            answered = false;
            process = GuardedProcess.start(log, command(), variables);
        }
    }

    synchronized void kill() {
        if (process != null) {
            process.kill();
        }
    }

    synchronized void pause() {
        if (process != null) {
            process.pause();
            paused = true;
        }
    }

    synchronized void resume() {
        if (process != null) {
            process.resume();
            paused = false;
        }
    }

    synchronized void terminate() {
        if (process != null) {
            process.terminate();
        }
    }

    synchronized void awaitEnd() {
        if (process != null && !process.awaitEnd(10)) {
            process.kill();
        }
    }

    /** A small JVM that starts fast: there are three of them. */
    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx160m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SampleApplication.class.getName(),
                // The class path is the tests'.
                "--holdfast.test.in-memory=false",
                "--server.address=127.0.0.1",
                "--server.port=" + port,
                "--holdfast.client-name=" + name,
                "--shop.instance=" + name));
        command.addAll(arguments);
        return command;
    }

    /** The state of an instance's process. */
    enum State {
        STARTING,
        RUNNING,
        PAUSED,
        GONE
    }
}

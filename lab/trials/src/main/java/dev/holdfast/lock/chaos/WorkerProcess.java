package dev.holdfast.lock.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A {@link Worker} that this process started. Signals are sent to that process alone. */
final class WorkerProcess implements AutoCloseable {

    private final List<String> command;
    private final Map<String, String> environment;
    private final int worker;
    private final long seed;
    private final Path log;
    private Process process;
    private int starts;

    WorkerProcess(
            LockLibrary.Name library,
            Address address,
            int registers,
            int worker,
            long seed,
            Path log,
            Map<String, String> environment) {
        this.worker = worker;
        this.environment = environment;
        this.command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-classpath",
                System.getProperty("java.class.path"),
                Worker.class.getName(),
                library.name(),
                address.toString(),
                String.valueOf(registers),
                String.valueOf(worker)));
        this.seed = seed;
        this.log = log;
        this.process = launch();
    }

    private Process launch() {
        List<String> line = new ArrayList<>(command);
        line.add(String.valueOf(++starts));
        line.add(String.valueOf(seed * 31 + starts));
        // The first worker uses virtual threads, if the JDK has them.
        line.add(String.valueOf(worker == 0));
        try {
            ProcessBuilder builder = new ProcessBuilder(line)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            builder.environment().putAll(environment);
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    synchronized void order(String order) {
        try {
            process.getOutputStream().write((order + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("Worker " + worker + " is gone", e);
        }
    }

    synchronized void stop() {
        signal("STOP");
    }

    synchronized void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            if (process.isAlive()) {
                new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void killAndRestart() {
        process.destroyForcibly().onExit().join();
        process = launch();
    }

    synchronized boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public synchronized void close() {
        process.destroyForcibly().onExit().join();
    }
}

package dev.holdfast.lock.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A {@link Worker} that this process started. */
final class WorkerProcess implements AutoCloseable {

    private static final String HEAP = "-Xmx" + System.getProperty("worker.heap", "1200m");

    private final Process process;
    private final PrintStream orders;
    private final BufferedReader answers;

    private WorkerProcess(Process process) {
        this.process = process;
        this.orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts a worker and returns before it is ready. The first {@link #answer()} confirms that it is ready. */
    static WorkerProcess start(WorkerShape shape, int port, Path ledger) {
        ProcessBuilder builder = new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                HEAP,
                "-Dvirtual=" + ContenderThread.VIRTUAL,
                "-Dio.netty.allocator.type=" + (shape.work() == Work.NONE ? "unpooled" : "adaptive"),
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-classpath",
                System.getProperty("java.class.path"),
                Worker.class.getName(),
                shape.line(),
                String.valueOf(port),
                ledger.toString());
        try {
            return new WorkerProcess(
                    builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void order(String order) {
        orders.println(order);
    }

    /** Returns the next answer. Everything else that the worker prints goes to the standard error. */
    String answer() {
        try {
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (line.startsWith("> ")) {
                    return line.substring(2);
                }
                System.err.println(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("A worker ended early, its exit code is "
                + process.onExit().join().exitValue());
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}

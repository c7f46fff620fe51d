package dev.holdfast.check;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

/**
 * A JVM that this process started. It executes the orders on its standard input, and ends when its input ends. Signals are sent to that process
 * alone.
 */
public final class WorkerProcess implements AutoCloseable {

    private final List<String> command;
    private final IntFunction<List<String>> arguments;
    private final UnaryOperator<ProcessBuilder> output;
    private int starts;
    private Process process;

    /**
     * Starts a process and returns before it is ready.
     *
     * @param main a class with a method {@code main}
     * @param classPath of the JVM
     * @param options of the JVM
     * @param arguments of the program, by the number of this start
     * @param output says where the process writes to, and sets its environment
     */
    public WorkerProcess(
            Class<?> main,
            String classPath,
            List<String> options,
            IntFunction<List<String>> arguments,
            UnaryOperator<ProcessBuilder> output) {
        this.command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        this.command.addAll(options);
        this.command.addAll(List.of("-XX:+UseSerialGC", "-classpath", classPath, main.getName()));
        this.arguments = arguments;
        this.output = output;
        this.process = launch(++starts);
    }

    private Process launch(int start) {
        List<String> line = new ArrayList<>(command);
        line.addAll(arguments.apply(start));
        try {
            return output.apply(new ProcessBuilder(line)).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public synchronized void order(String order) {
        try {
            process.getOutputStream().write((order + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("Worker " + process.pid() + " is gone", e);
        }
    }

    /** Returns the next answer. Everything else that the worker prints goes to the standard error. */
    public String answer() {
        BufferedReader answers = process.inputReader(StandardCharsets.UTF_8);
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

    public synchronized void stop() {
        signal("STOP");
    }

    public synchronized void resume() {
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

    public synchronized void killAndRestart() {
        process.destroyForcibly().onExit().join();
        process = launch(++starts);
    }

    public synchronized boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public synchronized void close() {
        process.destroyForcibly().onExit().join();
    }
}

package dev.holdfast.lock.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An application in a process of its own, from its start until it is closed. */
final class ApplicationProcess implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;
    private final long readyNanos;

    /** Starts the application and waits until it is ready. */
    ApplicationProcess(List<String> command) {
        long begin = System.nanoTime();
        try {
            this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
            this.output = process.inputReader(StandardCharsets.UTF_8);
            answer();
            this.readyNanos = System.nanoTime() - begin;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Duration readyAfter() {
        return Duration.ofNanos(readyNanos);
    }

    /** Returns the CPU time of all threads of the process since its start. */
    Duration cpu() {
        return process.toHandle().info().totalCpuDuration().orElseThrow();
    }

    /** Returns the number of live objects of a class. */
    long objects(Class<?> type) throws IOException {
        String jcmd = System.getProperty("java.home") + "/bin/jcmd";
        Process counting = new ProcessBuilder(jcmd, Long.toString(process.pid()), "GC.class_histogram").start();
        try (Stream<String> lines = counting.inputReader(StandardCharsets.UTF_8).lines()) {
            return lines.map(line -> line.strip().split("\\s+", -1))
                    .filter(columns -> columns.length > 3 && columns[3].equals(type.getName()))
                    .mapToLong(columns -> Long.parseLong(columns[1]))
                    .sum();
        }
    }

    /** Asks the application what it consists of. */
    Map<String, String> parts() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            return Arrays.stream(answer().split("\\|", -1))
                    .map(part -> part.split("=", 2))
                    .collect(Collectors.toMap(part -> part[0], part -> part[1]));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String answer() throws IOException {
        StringBuilder log = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith("> ")) {
                return line.substring(2);
            }
            log.append(line).append('\n');
        }
        throw new IllegalStateException("The application has ended:\n" + log);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}

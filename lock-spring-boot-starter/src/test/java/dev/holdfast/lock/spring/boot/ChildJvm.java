package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.testing.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An application in a process of its own, spoken with line by line. Ended when closed. */
public final class ChildJvm implements AutoCloseable {

    private static final int LIMIT_SECONDS = 90;

    private final Process process;
    private final BufferedReader out;
    private final Writer in;
    private final List<String> heard = new ArrayList<>();

    private ChildJvm(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
        this.in = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    }

    /** Starts a main class with this JVM's class path behind {@code firstOnPath}. */
    public static ChildJvm start(List<Path> firstOnPath, List<String> jvmArguments, Class<?> main, String... arguments)
            throws IOException {
        return run(command(firstOnPath, jvmArguments, main, arguments));
    }

    /** The command line of such a JVM. */
    static List<String> command(List<Path> firstOnPath, List<String> jvmArguments, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(jvmArguments);
        StringBuilder path = new StringBuilder();
        firstOnPath.forEach(each -> path.append(each).append(java.io.File.pathSeparator));
        command.addAll(List.of("-cp", path + System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Starts another program, such as a native image. */
    static ChildJvm run(List<String> command) throws IOException {
        return new ChildJvm(
                new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    /** Waits for a line that begins so. The pipe closes when the process ends, so this does not wait for ever. */
    public String await(String beginning) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            heard.add(line);
            if (line.startsWith(beginning)) {
                return line;
            }
        }
        throw new AssertionError("The process ended without '" + beginning + "':\n" + String.join("\n", heard));
    }

    public void say(String line) throws IOException {
        in.write(line + "\n");
        in.flush();
    }

    /** SIGTERM. Not by {@link Process#destroy()}, which closes the streams as well. */
    void terminate() {
        process.toHandle().destroy();
    }

    /** Sends a signal by its name, such as STOP or CONT. */
    public void signal(String name) throws IOException, InterruptedException {
        ChildProcess.signal(process, name);
    }

    int exitCode() throws InterruptedException {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("The process did not end:\n" + String.join("\n", heard));
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

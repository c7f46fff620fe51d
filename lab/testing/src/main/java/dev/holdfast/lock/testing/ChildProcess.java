package dev.holdfast.lock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Another JVM with the class path of the test, small and quick to start. */
public final class ChildProcess {

    private ChildProcess() {}

    public static ProcessBuilder running(Class<?> main, String... arguments) {
        return running(List.of(), main, arguments);
    }

    public static ProcessBuilder running(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(options);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    /** Sends a signal such as {@code STOP}. After this one, none of the process's threads runs any more. */
    public static void signal(Process process, String signal) throws IOException, InterruptedException {
        signal(process.pid(), signal);
    }

    /** Sends a signal to the process with this number, or to the group with its negative. */
    public static void signal(long process, String signal) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + signal, "--", Long.toString(process))
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException("kill -" + signal + " " + process + " failed with " + exit);
        }
        Path threads = Path.of("/proc", Long.toString(process), "task");
        if (signal.equals("STOP") && Files.isDirectory(threads)) {
            // One thread receives the signal and stops the others. On a busy machine, they run until it has its turn.
            Await.until("all threads stand still", Duration.ofSeconds(30), () -> areStopped(threads));
        }
    }

    private static boolean areStopped(Path threads) {
        try (Stream<Path> all = Files.list(threads)) {
            return all.allMatch(ChildProcess::isStopped);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the state behind the thread's name, which is in parentheses. */
    private static boolean isStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException ended) {
            return true;
        }
    }
}

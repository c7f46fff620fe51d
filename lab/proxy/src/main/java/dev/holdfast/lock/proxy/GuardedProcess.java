package dev.holdfast.lock.proxy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A child process that cannot outlive this JVM.
 *
 * <p>The child is a shell that starts the process and then reads the pipe this JVM holds. The system closes the pipe when
 * the JVM ends in whatever way, {@code kill -9} included; the shell then removes the folder and kills the process. A line
 * in the pipe kills the process and leaves the folder, for a restart.
 *
 * @param shell ends after the process
 * @param pid the process's number
 * @param folder where it works, and where its output goes
 */
public record GuardedProcess(Process shell, long pid, Path folder) {

    /** Where the process writes to, in its folder. */
    public static final String LOG = "process.log";

    /** $0 is the folder. An asynchronous command reads /dev/null unless told otherwise: hence descriptor 3. */
    private static final String GUARD = String.join(
            "\n",
            // A terminal that closes, or Ctrl-C, reaches the shell as well. It must live to end the process.
            "trap '' HUP INT",
            "exec 3<&0",
            "\"$@\" >>\"$0/" + LOG + "\" 2>&1 </dev/null 3<&- &",
            "process=$!",
            "echo $process",
            "exec >/dev/null 2>&1",
            "(read -r line <&3 || rm -rf \"$0\"; kill -9 $process) &",
            "guard=$!",
            "wait $process",
            "kill $guard",
            "wait $guard");

    /** Starts a binary in a folder. */
    public static GuardedProcess start(Path folder, Path binary, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", GUARD, folder.toString(), binary.toString()));
        command.addAll(arguments);
        try {
            Process shell = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            return new GuardedProcess(shell, pid(shell), folder);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not run " + binary, e);
        }
    }

    private static long pid(Process shell) throws IOException {
        BufferedReader output = shell.inputReader();
        String line = output.readLine();
        try {
            return Long.parseLong(String.valueOf(line));
        } catch (NumberFormatException e) {
            throw new IOException("The shell that guards the process said '" + line + "' instead of its number", e);
        }
    }

    public boolean isAlive() {
        return shell.isAlive();
    }

    /** The last lines the process wrote, for error messages. */
    public String log() {
        try {
            List<String> lines = Files.readAllLines(folder.resolve(LOG));
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }
}

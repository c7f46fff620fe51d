package dev.holdfast.lock.sample.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A child process that cannot outlive this JVM, even if it is paused.
 *
 * <p>A shell starts it and reads a pipe that this JVM holds. The system closes the pipe when the JVM ends for any reason, {@code kill -9}
 * included, and the shell then kills the child. Ctrl-C and a closed terminal reach the whole process group. The shell and its child ignore
 * both, so that the launcher can end everything in order.
 */
final class GuardedProcess {

    /** $0 is the log. An asynchronous command reads /dev/null unless told otherwise: hence descriptor 3. */
    private static final String GUARD = String.join(
            "\n",
            "trap '' INT HUP",
            "exec 3<&0",
            "\"$@\" >>\"$0\" 2>&1 </dev/null 3<&- &",
            "child=$!",
            "echo $child",
            "exec >/dev/null 2>&1",
            "(read -r line <&3; kill -9 $child) &",
            "guard=$!",
            "wait $child",
            "kill $guard",
            "wait $guard");

    private final Process shell;
    private final long pid;

    private GuardedProcess(Process shell, long pid) {
        this.shell = shell;
        this.pid = pid;
    }

    /** Starts a command. Other users see its arguments, but not the variables. */
    static GuardedProcess start(Path log, List<String> command, Map<String, String> variables) {
        List<String> guarded = new ArrayList<>(List.of("/bin/sh", "-c", GUARD, log.toString()));
        guarded.addAll(command);
        try {
            ProcessBuilder builder = new ProcessBuilder(guarded).redirectErrorStream(true);
            builder.environment().putAll(variables);
            Process shell = builder.start();
            BufferedReader output = shell.inputReader();
            return new GuardedProcess(shell, Long.parseLong(String.valueOf(output.readLine())));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not run " + command.get(0), e);
        }
    }

    long pid() {
        return pid;
    }

    boolean isAlive() {
        return shell.isAlive();
    }

    /** SIGSTOP: the process is paused and does not know it. */
    void pause() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    /** SIGKILL. */
    void kill() {
        signal("KILL");
        awaitEnd(10);
    }

    /** SIGTERM. A paused process would not receive it. */
    void terminate() {
        signal("CONT");
        signal("TERM");
    }

    /** Returns false if it still runs after that time. */
    boolean awaitEnd(long seconds) {
        try {
            return shell.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void signal(String name) {
        if (!isAlive()) {
            // Another process may have the number by now.
            return;
        }
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                    .redirectErrorStream(true)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.holdfast.lock.sample.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A child process that cannot outlive this JVM, whether it runs or stands still.
 *
 * <p>A shell starts it and reads the pipe that this JVM holds. The system closes the pipe when the JVM ends in whatever way, {@code kill -9}
 * included, and the shell then kills the child. Ctrl-C reaches a terminal's whole process group; the shell and its child pass it by, so that
 * the launcher ends everything in good order.
 */
final class GuardedProcess {

    /** $0 is the log. An asynchronous command reads /dev/null unless told otherwise: hence descriptor 3. */
    private static final String GUARD = String.join(
            "\n",
            "trap '' INT",
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

    static GuardedProcess start(Path log, List<String> command) {
        List<String> guarded = new ArrayList<>(List.of("/bin/sh", "-c", GUARD, log.toString()));
        guarded.addAll(command);
        try {
            Process shell =
                    new ProcessBuilder(guarded).redirectErrorStream(true).start();
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

    /** SIGSTOP: the process stands still and knows nothing of it. */
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

    /** SIGTERM. A process that stands still would not hear it. */
    void terminate() {
        signal("CONT");
        signal("TERM");
    }

    /** Answers false if it still runs after that. */
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
            // The number may by now belong to a stranger.
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

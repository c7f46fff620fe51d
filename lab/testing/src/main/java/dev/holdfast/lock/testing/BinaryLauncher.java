package dev.holdfast.lock.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a {@code redis-server} binary as a child process that cannot outlive this JVM.
 *
 * <p>The child is a shell that starts the server and then reads the pipe this JVM holds. The system closes the pipe when
 * the JVM ends in whatever way, {@code kill -9} included; the shell then removes the folder and kills the server. A line
 * in the pipe kills the server and leaves the folder, for a restart.
 */
record BinaryLauncher(Path binary, String origin) implements Launcher {

    /** $0 is the folder. An asynchronous command reads /dev/null unless told otherwise: hence descriptor 3. */
    private static final String GUARD = String.join(
            "\n",
            // A terminal that closes, or Ctrl-C, reaches the shell as well. It must live to end the server.
            "trap '' HUP INT",
            "exec 3<&0",
            "\"$@\" >>\"$0/" + ServerFolder.LOG + "\" 2>&1 </dev/null 3<&- &",
            "server=$!",
            "echo $server",
            "exec >/dev/null 2>&1",
            "(read -r line <&3 || rm -rf \"$0\"; kill -9 $server) &",
            "guard=$!",
            "wait $server",
            "kill $guard",
            "wait $guard");

    @Override
    public Running launch(Path folder, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", GUARD, folder.toString(), binary.toString()));
        command.addAll(arguments);
        try {
            Process shell = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            return new Child(shell, serverPid(shell), new ServerFolder(folder));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not run " + binary, e);
        }
    }

    private static long serverPid(Process shell) throws IOException {
        BufferedReader output = shell.inputReader();
        String line = output.readLine();
        try {
            return Long.parseLong(String.valueOf(line));
        } catch (NumberFormatException e) {
            throw new IOException("The shell that guards the server said '" + line + "' instead of a process id", e);
        }
    }

    private record Child(Process shell, long pid, ServerFolder folder) implements Running {

        @Override
        public boolean isAlive() {
            return shell.isAlive();
        }

        @Override
        public String log() {
            return folder.log();
        }

        @Override
        public void kill() {
            try {
                shell.outputWriter().append('\n').flush();
            } catch (IOException alreadyGone) {
                // The pipe broke because the shell ended before us: waiting below is all that is left.
            }
            awaitEnd();
        }

        @Override
        public void terminate() {
            signal("TERM");
            awaitEnd();
        }

        @Override
        public void pause() {
            signal("STOP");
        }

        @Override
        public void resume() {
            signal("CONT");
        }

        private void signal(String name) {
            if (!isAlive()) {
                // The number may by now belong to a stranger.
                throw new IllegalStateException("The server does not run, so it cannot be sent SIG" + name);
            }
            try {
                ChildProcess.signal(pid, name);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw Interrupts.rethrow(e);
            }
        }

        private void awaitEnd() {
            try {
                if (!shell.waitFor(10, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("Server process " + pid + " did not end within 10 s");
                }
            } catch (InterruptedException e) {
                throw Interrupts.rethrow(e);
            }
        }
    }
}

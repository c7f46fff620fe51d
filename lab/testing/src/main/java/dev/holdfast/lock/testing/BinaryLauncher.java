package dev.holdfast.lock.testing;

import dev.holdfast.lock.proxy.GuardedProcess;
import dev.holdfast.lock.proxy.Interrupts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a {@code redis-server} binary as a child process that cannot outlive this JVM. */
record BinaryLauncher(Path binary, String origin) implements Launcher {

    @Override
    public Running launch(Path folder, List<String> arguments) {
        return new Child(GuardedProcess.start(folder, binary, arguments));
    }

    private record Child(GuardedProcess process) implements Running {

        @Override
        public boolean isAlive() {
            return process.isAlive();
        }

        @Override
        public String log() {
            return process.log();
        }

        @Override
        public void kill() {
            try {
                process.shell().outputWriter().append('\n').flush();
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
                ChildProcess.signal(process.pid(), name);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw Interrupts.rethrow(e);
            }
        }

        private void awaitEnd() {
            try {
                if (!process.shell().waitFor(10, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("Server process " + process.pid() + " did not end within 10 s");
                }
            } catch (InterruptedException e) {
                throw Interrupts.rethrow(e);
            }
        }
    }
}

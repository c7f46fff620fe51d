package dev.holdfast.lock.sample.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The launcher's temporary folder: logs, and the database. It is removed when the launcher ends, {@code kill -9} included: a shell reads a pipe
 * that this JVM holds, and the system closes the pipe. The processes that write into the folder need a moment to end.
 */
final class Workplace implements AutoCloseable {

    private static final String REMOVE = String.join(
            "\n",
            "trap '' INT HUP TERM",
            "read -r keep",
            "[ \"$keep\" = keep ] && exit",
            "for attempt in 1 2 3 4 5 6 7 8 9 10; do",
            "rm -rf \"$0\"",
            "[ -e \"$0\" ] || exit",
            "sleep 1",
            "done");

    private final Path folder;
    private final Process remover;

    Workplace() throws IOException {
        this.folder = Files.createTempDirectory("holdfast-shop-");
        this.remover = new ProcessBuilder("/bin/sh", "-c", REMOVE, folder.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    Path folder() {
        return folder;
    }

    /** Keeps the logs, for a start that failed. */
    void keep() {
        try {
            remover.outputWriter().append("keep\n").flush();
        } catch (IOException gone) {
            // Nobody is left to remove the folder.
        }
    }

    @Override
    public void close() {
        try {
            remover.outputWriter().close();
            remover.waitFor(15, TimeUnit.SECONDS);
        } catch (IOException gone) {
            // The shell has ended: the folder is kept.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

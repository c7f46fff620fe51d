package dev.holdfast.lock.testing;

import java.nio.file.Path;
import java.util.List;

/** A way to run {@code redis-server} on this machine's loopback interface, in a folder that it may write to. */
interface Launcher {

    /** What runs, for reports: {@code "redis-server-7.0.15-linux-amd64 of embedded-redis"}. */
    String origin();

    /** Starts the server and returns at once: it may not listen yet. */
    Running launch(Path folder, List<String> arguments);

    /** A server that was launched. */
    interface Running {

        boolean isAlive();

        /** What it wrote, also after its end. */
        String log();

        /** Ends the server without a word (SIGKILL) and waits until it is gone. */
        void kill();

        /** Asks the server to end (SIGTERM) and waits until it is gone. */
        void terminate();

        /** Freezes the server (SIGSTOP): its connections stay, its answers do not come. */
        void pause();

        void resume();
    }
}

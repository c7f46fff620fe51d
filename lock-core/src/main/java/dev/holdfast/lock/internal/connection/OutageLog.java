package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.LockLog;
import java.lang.System.Logger.Level;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Logs an outage of one connection once, and its end. */
final class OutageLog {

    private static final LockLog LOG = LockLog.LOG;

    private final String connection;
    private boolean logged;

    OutageLog(String connection) {
        this.connection = connection;
    }

    /**
     * Logs that Redis cannot be reached, if the log does not say so already.
     *
     * @param problem asked for late: null once there is a connection, whose report may have overtaken this one
     * @param lost whether there was a connection before
     */
    synchronized void report(Supplier<@Nullable Throwable> problem, boolean lost) {
        Throwable present = problem.get();
        if (present == null || logged) {
            return;
        }
        logged = true;
        LOG.log(
                Level.WARNING,
                lost
                        ? "Redis cannot be reached (connection for {0}): the connection was lost; still trying: {1}"
                        : "Redis cannot be reached (connection for {0}): not connected since the client started; still trying: {1}",
                connection,
                RedisFailure.notConnected(present).getMessage());
    }

    synchronized void connected() {
        if (logged) {
            logged = false;
            LOG.log(Level.INFO, "Connected to Redis again (connection for {0})", connection);
        }
    }
}

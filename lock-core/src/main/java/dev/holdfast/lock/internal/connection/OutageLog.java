package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.LockLog;
import java.lang.System.Logger.Level;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Logs the beginning and the end of each outage of one connection, once each. */
final class OutageLog {

    private static final LockLog LOG = LockLog.LOG;

    private final String connection;
    private boolean logged;

    OutageLog(String connection) {
        this.connection = connection;
    }

    /**
     * Logs that Redis cannot be reached, unless this outage is already logged.
     *
     * @param problem supplies the problem, or null if there is a connection again. Called under the monitor, because the report of that connection
     *     may have come first
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

package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.internal.log.LockLog;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Says once in the log what a client found out about its Redis. */
public final class SelfCheckLog {

    private static final LockLog LOG = LockLog.LOG;

    private SelfCheckLog() {}

    public static void write(@Nullable SelfCheck check, @Nullable Throwable failure) {
        if (check == null) {
            LOG.log(Level.DEBUG, "Redis could not be looked at before the first lock", failure);
            return;
        }
        LOG.log(Level.INFO, "Locks on {0} {1} ({2})", check.product(), check.serverVersion(), check.topology());
        for (SelfCheck.Finding finding : check.findings()) {
            Level level = finding.severity() == SelfCheck.Severity.ERROR ? Level.ERROR : Level.WARNING;
            LOG.log(level, LogText.escape(finding.message()));
        }
    }
}

package dev.holdfast.lock.spring.call;

import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Logs warnings that many calls may cause at once, as in an outage. Writes only a few lines in ten seconds. The next line says how many were omitted.
 */
public final class RateLimitedLog {

    static final int MAX_LINES = 5;
    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(10);

    private final Log log;
    private long intervalStart = System.nanoTime();
    private int written;
    private int omitted;

    public RateLimitedLog(Log log) {
        this.log = log;
    }

    public void warn(String line) {
        String admitted = admit(line, System.nanoTime());
        if (admitted == null) {
            log.debug(line);
        } else {
            log.warn(admitted);
        }
    }

    synchronized @Nullable String admit(String line, long now) {
        if (now - intervalStart >= INTERVAL) {
            intervalStart = now;
            written = 0;
        }
        if (written == MAX_LINES) {
            omitted++;
            return null;
        }
        written++;
        String admitted =
                omitted == 0 ? line : line + " (" + omitted + " lines like this were omitted, and are logged at DEBUG)";
        omitted = 0;
        return admitted;
    }
}

package dev.holdfast.lock.spring.interceptor;

import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/** Warns of what may happen to many calls at once, as in an outage: a few lines in ten seconds, and with the next one how many were left out. */
final class FewLines {

    static final int MOST = 5;

    private static final long SPAN = TimeUnit.SECONDS.toNanos(10);

    private final Log log;
    private long began = System.nanoTime();
    private int written;
    private int leftOut;

    FewLines(Log log) {
        this.log = log;
    }

    void warn(String line) {
        String told = told(line, System.nanoTime());
        if (told == null) {
            log.debug(line);
        } else {
            log.warn(told);
        }
    }

    /** The line as it is to be written, if it is. */
    synchronized @Nullable String told(String line, long now) {
        if (now - began >= SPAN) {
            began = now;
            written = 0;
        }
        if (written == MOST) {
            leftOut++;
            return null;
        }
        written++;
        String told = leftOut == 0
                ? line
                : line + " (" + leftOut + " lines like this were left out, and are logged at DEBUG)";
        leftOut = 0;
        return told;
    }
}

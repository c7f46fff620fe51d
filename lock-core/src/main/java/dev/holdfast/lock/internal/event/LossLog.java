package dev.holdfast.lock.internal.event;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Logs lost leases. The first five losses get a line each. Later losses are collected, and one line reports them every ten seconds. After half a
 * minute without a loss, losses get lines of their own again.
 */
public final class LossLog {

    private static final LockLog LOG = LockLog.LOG;

    private static final int MOST_LINES = 5;
    private static final int MOST_NAMES = 10;
    private static final int LONGEST_NAME = 80;
    private static final long COLLECTED = TimeUnit.SECONDS.toNanos(10);
    private static final long QUIET = TimeUnit.SECONDS.toNanos(30);

    private final Timer timer;
    private final Ticker ticker;
    private final Level level;
    private int lines;
    private int collected;
    private StringJoiner names = new StringJoiner(", ");
    private long lastLoss;
    private Timer.@Nullable Timeout planned;

    public LossLog(Timer timer, Ticker ticker, Level level) {
        this.timer = timer;
        this.ticker = ticker;
        this.level = level;
    }

    void write(LeaseLoss loss, String owner) {
        if (mayHaveALine(loss)) {
            LOG.log(level, line(loss, owner));
        } else {
            LOG.log(Level.DEBUG, () -> line(loss, owner));
        }
    }

    private static String line(LeaseLoss loss, String owner) {
        return "Lost the lease on lock '" + LogText.escape(loss.lockName()) + "' (token " + loss.fencingToken()
                + ", owner " + owner + ") after " + LogText.time(loss.held()) + ", last confirmed "
                + LogText.time(loss.sinceConfirmed())
                + " ago: " + LogText.escape(loss.probableCause());
    }

    private synchronized boolean mayHaveALine(LeaseLoss loss) {
        long now = ticker.now();
        if (now - lastLoss >= QUIET) {
            lines = 0;
        }
        lastLoss = now;
        if (lines < MOST_LINES) {
            lines++;
            return true;
        }
        collected++;
        if (collected <= MOST_NAMES) {
            String name = loss.lockName();
            names.add("'" + LogText.escape(name.substring(0, Math.min(name.length(), LONGEST_NAME))) + "'");
        }
        if (collected == 1) {
            planned = timer.after(COLLECTED, this::writeCollected);
        }
        return false;
    }

    /** Logs the losses that have no line yet. Also called when the client closes. */
    void writeCollected() {
        int count;
        String some;
        synchronized (this) {
            count = collected;
            if (count == 0 || planned == null) {
                return;
            }
            planned.cancel();
            some = names.toString();
            collected = 0;
            names = new StringJoiner(", ");
        }
        LOG.log(
                level,
                "Lost " + count + " more leases within " + LogText.time(Duration.ofNanos(COLLECTED)) + ": " + some
                        + (count > MOST_NAMES ? ", …" : ""));
    }
}

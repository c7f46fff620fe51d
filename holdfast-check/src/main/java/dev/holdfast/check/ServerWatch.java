package dev.holdfast.check;

import io.lettuce.core.RedisException;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Asks the server a few times a second which server it is, and notes when that changes, and when there is no answer. */
final class ServerWatch implements AutoCloseable {

    /**
     * The server became another one.
     *
     * @param at on this machine's monotonic clock
     */
    record Change(long at, LocalTime time, String what) {
        @Override
        public String toString() {
            return what + " at " + time;
        }
    }

    private static final long PERIOD_MILLIS = 250;

    /** A shorter time without an answer may be this machine's. */
    private static final long AWAY = TimeUnit.MILLISECONDS.toNanos(700);

    /** What stays the same as long as nobody replaces or restarts the server. */
    private static final List<String> IDENTITY = List.of("run_id", "master_replid", "role");

    private final RemoteServer server;
    private final Thread thread = new Thread(this::watch, "server-watch");
    private final List<Change> changes = new ArrayList<>();
    private final List<Outage> outages = new ArrayList<>();
    private List<String> identity;
    private volatile boolean over;

    ServerWatch(RemoteServer server) {
        this.server = server;
        this.identity = identity(server.info());
        thread.setDaemon(true);
        thread.start();
    }

    private static List<String> identity(Map<String, String> info) {
        return IDENTITY.stream().map(name -> info.getOrDefault(name, "")).toList();
    }

    private void watch() {
        long answered = System.nanoTime();
        try {
            while (!over) {
                TimeUnit.MILLISECONDS.sleep(PERIOD_MILLIS);
                try {
                    List<String> now = identity(server.info());
                    answered(answered, now);
                    answered = System.nanoTime();
                } catch (RedisException away) {
                    // Asked again, until it answers.
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void answered(long before, List<String> now) {
        long at = System.nanoTime();
        if (at - before > AWAY + PERIOD_MILLIS * 1_000_000) {
            outages.add(new Outage(Outage.AWAY, Outage.ALL, before, at));
        }
        if (!now.equals(identity)) {
            identity = now;
            changes.add(new Change(
                    at, LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS), "the server changed"));
        }
    }

    /** Returns the changes since a time of the monotonic clock. */
    synchronized List<Change> changesSince(long from) {
        return changes.stream().filter(change -> change.at() >= from).toList();
    }

    /** Returns the times without an answer since a time of the monotonic clock. */
    synchronized List<Outage> outagesSince(long from) {
        return outages.stream().filter(outage -> outage.until() >= from).toList();
    }

    @Override
    public void close() {
        over = true;
        thread.interrupt();
    }
}

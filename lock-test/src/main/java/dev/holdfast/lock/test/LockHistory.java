package dev.holdfast.lock.test;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The events of the locks and the notes of the test, in order. */
public final class LockHistory {

    /**
     * An event or a note in the history.
     *
     * @param at the time that had passed on the clock
     * @param event an event of a lock; null for a note
     * @param note the text of a note; empty for an event
     */
    public record Entry(Duration at, @Nullable LockEvent event, String note) {

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%+10.3f s  ", at.toNanos() / 1e9) + text();
        }

        private String text() {
            return event == null ? "note '" + note + "'" : "lock '" + event.lockName() + "' " + described(event);
        }

        static String described(LockEvent event) {
            if (event instanceof LockEvent.Acquired acquired) {
                return "acquired, token " + acquired.fencingToken() + after(acquired.waited());
            }
            if (event instanceof LockEvent.Released released) {
                return "released, token " + released.fencingToken() + ", held for " + seconds(released.held());
            }
            if (event instanceof LockEvent.TimedOut busy) {
                return "busy" + after(busy.waited());
            }
            if (event instanceof LockEvent.Unavailable unavailable) {
                return "unavailable" + after(unavailable.waited()) + ": "
                        + unavailable.problem().getMessage();
            }
            if (event instanceof LeaseLoss loss) {
                return "lost, token " + loss.fencingToken() + ": "
                        + loss.cause().description();
            }
            return event.getClass().getSimpleName();
        }

        private static String after(Duration waited) {
            return waited.isZero() ? "" : " after a wait of " + seconds(waited);
        }

        private static String seconds(Duration time) {
            return String.format(Locale.ROOT, "%.3f s", time.toNanos() / 1e9);
        }
    }

    private final VirtualClock clock;
    private final List<Entry> entries = new ArrayList<>();

    LockHistory(VirtualClock clock) {
        this.clock = clock;
    }

    LockListener listener() {
        return new LockListener() {
            @Override
            public void onEvent(LockEvent event) {
                add(event, "");
            }
        };
    }

    void note(String note) {
        add(null, note);
    }

    private synchronized void add(@Nullable LockEvent event, String note) {
        entries.add(new Entry(clock.passed(), event, note));
    }

    synchronized void clear() {
        entries.clear();
    }

    /** Returns all entries, the oldest first. */
    public synchronized List<Entry> entries() {
        return List.copyOf(entries);
    }

    /** Returns all entries as text, one per line. */
    @Override
    public String toString() {
        List<Entry> all = entries();
        return all.isEmpty()
                ? "nothing happened to any lock"
                : all.stream().map(Entry::toString).collect(Collectors.joining("\n"));
    }
}

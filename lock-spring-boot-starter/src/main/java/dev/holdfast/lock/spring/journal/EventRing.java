package dev.holdfast.lock.spring.journal;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.spring.LockJournal.Entry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The last events, in arrays whose length does not change: 49 bytes for each event, and its lock's name. An event that the listener received is in the ring
 * when the method returns. Thread-safe.
 */
final class EventRing implements LockListener {

    /** The bytes of one event, with references of 4 bytes. */
    static final int BYTES_OF_AN_EVENT = 49;

    /** A fencing token is the server's time in microseconds, times this number. */
    private static final long TOKENS_OF_A_MICROSECOND = 1024;

    private static final String ACQUIRED = "acquired";
    private static final String RELEASED = "released";
    private static final String LOST = "lost";
    private static final String REFUSED = "refused";
    private static final String TROUBLE = "trouble";

    private final int size;
    private final String[] types;
    private final LockKind[] kinds;
    private final @Nullable String[] causes;
    private final boolean[] handedOver;
    private final long[] tokens;
    /** By the instance's clock, in microseconds since 1970. */
    private final long[] times;
    /** How long the caller waited or the lease was held. */
    private final long[] micros;

    private final long[] unconfirmed;
    private final String[] names;
    private long added;
    private long acquired;

    EventRing(int size) {
        this.size = size;
        this.types = new String[size];
        this.kinds = new LockKind[size];
        this.causes = new @Nullable String[size];
        this.handedOver = new boolean[size];
        this.tokens = new long[size];
        this.times = new long[size];
        this.micros = new long[size];
        this.unconfirmed = new long[size];
        this.names = new String[size];
    }

    /** What the ring has at one time. */
    record View(@Nullable Instant lastOverwritten, long overwritten, long acquired, List<Entry> entries) {}

    @Override
    public void onAcquired(LockEvent.Acquired event) {
        add(ACQUIRED, event, event.fencingToken(), event.waited(), null, event.takenOver(), null);
    }

    @Override
    public void onReleased(LockEvent.Released event) {
        add(RELEASED, event, event.fencingToken(), event.held(), null, event.handedOver(), null);
    }

    @Override
    public void onLost(LeaseLoss loss) {
        add(
                LOST,
                loss,
                loss.fencingToken(),
                loss.held(),
                loss.sinceConfirmed(),
                false,
                loss.cause().name());
    }

    @Override
    public void onTimedOut(LockEvent.TimedOut event) {
        add(REFUSED, event, 0, event.waited(), null, false, "BUSY");
    }

    @Override
    public void onUnavailable(LockEvent.Unavailable event) {
        add(REFUSED, event, 0, event.waited(), null, false, "UNAVAILABLE");
    }

    @Override
    public void onRenewalTrouble(LockEvent.RenewalTrouble event) {
        add(TROUBLE, event, event.fencingToken(), Duration.ZERO, null, false, null);
    }

    private synchronized void add(
            String type,
            LockEvent event,
            long token,
            Duration time,
            @Nullable Duration sinceConfirmed,
            boolean inMemory,
            @Nullable String cause) {
        int at = (int) (added++ % size);
        acquired += type.equals(ACQUIRED) ? 1 : 0;
        types[at] = type;
        kinds[at] = event.kind();
        causes[at] = cause;
        handedOver[at] = inMemory;
        tokens[at] = token;
        times[at] = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        micros[at] = TimeUnit.NANOSECONDS.toMicros(time.toNanos());
        unconfirmed[at] = sinceConfirmed == null ? 0 : TimeUnit.NANOSECONDS.toMicros(sinceConfirmed.toNanos());
        names[at] = event.lockName();
    }

    /** Returns how many acquisitions were added, including those that were overwritten. */
    synchronized long acquired() {
        return acquired;
    }

    synchronized View view() {
        int kept = (int) Math.min(added, size);
        List<Entry> entries = new ArrayList<>(kept);
        for (long n = added - kept; n < added; n++) {
            entries.add(entry((int) (n % size)));
        }
        // What was overwritten is not later than the oldest event that is left.
        Instant oldest = added > size ? instant(times[(int) (added % size)]) : null;
        return new View(oldest, added - kept, acquired, entries);
    }

    private Entry entry(int at) {
        boolean lost = types[at].equals(LOST);
        boolean held = lost || types[at].equals(RELEASED);
        boolean waited = types[at].equals(ACQUIRED) || types[at].equals(REFUSED);
        return new Entry(
                types[at],
                names[at],
                kinds[at].name(),
                tokens[at] == 0 ? null : Long.toString(tokens[at]),
                tokens[at] == 0 ? null : instant(tokens[at] / TOKENS_OF_A_MICROSECOND),
                instant(times[at]),
                waited ? micros[at] : null,
                held ? micros[at] : null,
                lost ? unconfirmed[at] : null,
                handedOver[at],
                causes[at]);
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}

package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.call.RateLimitedLog;
import dev.holdfast.lock.spring.job.Ticks.Around;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Runs a method once for each tick of its schedule. The record has the last tick that counts. All times are the server's. */
record OncePerTick(Ticks ticks, boolean retries) implements Once {

    private static final Log LOG = LogFactory.getLog(OncePerTick.class);
    private static final RateLimitedLog WARNINGS = new RateLimitedLog(LOG);

    private static final String WORD = "tick";

    /** Longer than any difference between clocks: an instance that is late must still find its tick. */
    private static final Duration SLACK = Duration.ofHours(1);

    @Override
    public String attribute() {
        return "'oncePerTick'";
    }

    /** Instances fire at the tick, and not again until the next one. */
    @Override
    public boolean needsWaiters() {
        return retries;
    }

    @Override
    public Claim claim(Look look) {
        String lockName = look.lockName();
        Reading reading = look.reading();
        Instant now = reading.time();
        Around around = ticks.around(now);
        Instant last = last(lockName, reading, now.plus(around.early()));
        if (around.latest() == null && around.next() == null) {
            // Every @Scheduled of the method is switched off, and somebody calls it.
            return Claim.NOTHING;
        }
        Instant due = ticks.due(now, last);
        if (due == null) {
            AlreadyRan ran = new AlreadyRan(
                    lockName, "the tick " + last + " of lock '" + LogText.escape(lockName) + "' has run already");
            LOG.debug("Skipped: " + ran.getMessage());
            throw ran;
        }
        String text = WORD + " " + due;
        return retries ? new Claim(null, text, keep(due)) : new Claim(text, null, keep(due));
    }

    /** Until nobody can ask for the tick any more: two ticks later, and then some. If the next tick is not known, for as long as possible. */
    private Duration keep(Instant due) {
        Instant next = ticks.around(due).next();
        Duration keep = SLACK.plus(
                next == null ? LockRecord.MAX_KEEP : Duration.between(due, next).multipliedBy(2));
        return keep.compareTo(LockRecord.MAX_KEEP) < 0 ? keep : LockRecord.MAX_KEEP;
    }

    /** A tick that lies ahead would stop the job until then: the server's clock went back, or somebody else wrote it. */
    private static @Nullable Instant last(String lockName, Reading reading, Instant latestPossible) {
        String text = reading.text();
        if (text == null) {
            return null;
        }
        Instant last = parsed(text);
        if (last == null || last.isAfter(latestPossible)) {
            WARNINGS.warn("The record of lock '" + LogText.escape(lockName) + "' says '"
                    + LogText.escape(text) + "', which no run can have written by " + reading.time()
                    + " on the server's clock. It is ignored: the present tick may run again");
            return null;
        }
        return last;
    }

    /** A later version may add words and lines. */
    private static @Nullable Instant parsed(String text) {
        String[] words = text.split("\\s", 3);
        try {
            return words.length > 1 && words[0].equals(WORD) ? Instant.parse(words[1]) : null;
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}

package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.interceptor.Ticks.Around;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** The last tick that has run, kept in the record beside the lock. All its times are the server's. */
record LastTick(LockRecord record, Ticks ticks, boolean blocking) {

    private static final Log LOG = LogFactory.getLog(LastTick.class);
    private static final RateLimitedLog WARNINGS = new RateLimitedLog(LOG);

    private static final String PREFIX = "tick ";

    /** Longer than any difference between clocks: an instance that is late must still find its tick. */
    private static final Duration SLACK = Duration.ofHours(1);

    /** The tick of a run that begins now; empty if the schedule has no tick yet. Fails with {@link TickAlreadyRan}. */
    CompletableFuture<Claim> claim() {
        return answer(record::read, record::readAsync).thenApply(this::decide);
    }

    /** What a run writes before it begins; the tick counts from then on, however the run ends. */
    record Claim(@Nullable Instant tick, Duration keep) {}

    private Claim decide(Reading reading) {
        Instant now = reading.time();
        Around around = ticks.around(now);
        Instant last = last(reading, now.plus(around.early()));
        if (around.latest() == null && around.next() == null) {
            // Every @Scheduled of the method is switched off, and somebody calls it.
            return new Claim(null, Duration.ZERO);
        }
        Instant due = ticks.due(now, last);
        if (due == null) {
            TickAlreadyRan ran = new TickAlreadyRan(record.lockName(), last);
            LOG.debug(ran.getMessage());
            throw ran;
        }
        return new Claim(due, keep(due));
    }

    /** Until nobody can ask for the tick any more: two ticks later, and then some. */
    private Duration keep(Instant due) {
        Instant next = ticks.around(due).next();
        Duration keep =
                SLACK.plus(next == null ? SLACK : Duration.between(due, next).multipliedBy(2));
        return keep.compareTo(LockRecord.MAX_KEEP) < 0 ? keep : LockRecord.MAX_KEEP;
    }

    /** A tick that lies ahead would stop the job until then: the server's clock went back, or somebody else wrote it. */
    private @Nullable Instant last(Reading reading, Instant latestPossible) {
        String text = reading.text();
        if (text == null) {
            return null;
        }
        Instant last = parsed(text);
        if (last == null || last.isAfter(latestPossible)) {
            WARNINGS.warn("The record of lock '" + LogText.escape(record.lockName()) + "' says '"
                    + LogText.escape(text) + "', which no run can have written by " + reading.time()
                    + " on the server's clock. It is ignored: the present tick may run again");
            return null;
        }
        return last;
    }

    private static @Nullable Instant parsed(String text) {
        try {
            return text.startsWith(PREFIX) ? Instant.parse(text.substring(PREFIX.length())) : null;
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    CompletableFuture<?> write(Lease holder, Claim claim) {
        if (claim.tick() == null) {
            return CompletableFuture.completedFuture(null);
        }
        String text = PREFIX + claim.tick();
        return answer(
                () -> {
                    record.write(holder, text, claim.keep());
                    return true;
                },
                () -> record.writeAsync(holder, text, claim.keep()).thenApply(done -> true));
    }

    private <T> CompletableFuture<T> answer(Supplier<T> sync, Supplier<? extends CompletionStage<T>> async) {
        try {
            return blocking
                    ? CompletableFuture.completedFuture(sync.get())
                    : async.get().toCompletableFuture();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The tick of a call has run already, here or on another instance. The call is skipped. */
    static final class TickAlreadyRan extends LockException {
        private static final long serialVersionUID = 1L;

        TickAlreadyRan(String lockName, @Nullable Instant last) {
            super(
                    lockName,
                    "Skipped under lock '" + LogText.escape(lockName) + "': its tick " + last + " has run already",
                    null);
        }
    }
}

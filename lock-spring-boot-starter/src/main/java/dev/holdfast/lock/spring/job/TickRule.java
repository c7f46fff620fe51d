package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.EarlierRunFailedException;
import dev.holdfast.lock.spring.Tick;
import dev.holdfast.lock.spring.call.RateLimitedLog;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.job.TickRecord.Note;
import dev.holdfast.lock.spring.job.TickRecord.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs a method once for each tick of its schedule. The record has the last tick that counts. All times are the server's.
 *
 * @param jobs where this instance keeps what it knows of ticks, if records say what happened to them; else null
 */
record TickRule(Ticks ticks, boolean retries, @Nullable KnownJobs jobs) implements RunRule {

    private static final Log LOG = LogFactory.getLog(TickRule.class);
    private static final RateLimitedLog WARNINGS = new RateLimitedLog(LOG);

    /** Longer than any difference between clocks: an instance that is late must still find its tick. */
    private static final Duration SLACK = Duration.ofHours(1);

    /** How much longer a record is kept that says what happened: an application that was down for a month still knows where it stopped. */
    private static final Duration MEMORY = Duration.ofDays(30);

    private static final Duration LONGEST = LockRecord.MAX_KEEP.minus(MEMORY);

    @Override
    public String attribute() {
        return "'@OncePerTick'";
    }

    /** Instances fire at the tick, and not again until the next one. */
    @Override
    public boolean needsWaiters() {
        return retries;
    }

    @Override
    public @Nullable KnownJob job(String lockName, LockOperation operation) {
        return jobs == null ? null : jobs.of(lockName, operation, ticks);
    }

    @Override
    public boolean check(Look look, Consumer<Consumer<String>> holder) {
        due(look, plausible(look));
        return true;
    }

    @Override
    public Claim claim(Look look) {
        TickRecord before = plausible(look);
        Instant due = due(look, before);
        if (due == null) {
            Claim attempted = attempted(look);
            return attempted == null ? Claim.NOTHING : again(look, before, attempted);
        }
        Instant succeeded = before.succeeded();
        Tick tick = new Tick(due, ticks.before(due), succeeded == null && retries ? before.last() : succeeded);
        KnownJob job = look.job();
        return job == null
                ? bare(tick, before)
                : told(tick, job.corrected(before), new Run(due, look.reading().time(), look.instance()), job);
    }

    /** Returns the tick to run; null if its run is attempted again, or if each @Scheduled of the method is switched off, and somebody calls it. */
    private @Nullable Instant due(Look look, TickRecord before) {
        Instant now = look.reading().time();
        Instant last = before.last();
        Instant due = ticks.due(now, last);
        if (due == null && attempted(look) == null && ticks.around(now).isAny()) {
            AlreadyRan ran = new AlreadyRan(
                    look.lockName(),
                    "the tick " + last + " of lock '" + LogText.escape(look.lockName()) + "' has run already");
            LOG.debug("Skipped: " + ran.getMessage());
            throw ran;
        }
        return due;
    }

    private @Nullable Claim attempted(Look look) {
        Claim repeats = look.repeats();
        return retries || repeats == null || repeats.tick() == null ? null : repeats;
    }

    /** One more attempt of a run that has failed. Its tick counts, so nobody else runs it meanwhile. */
    private Claim again(Look look, TickRecord before, Claim attempted) {
        Tick tick = Objects.requireNonNull(attempted.tick());
        if (!tick.time().equals(before.last())) {
            throw new EarlierRunFailedException(
                    look.lockName(),
                    "The run of the tick " + tick.time() + " of lock '" + LogText.escape(look.lockName())
                            + "' has failed, and is not attempted again: the tick " + before.last() + " has run since");
        }
        Run run = attempted.run();
        KnownJob job = look.job();
        return job == null || run == null
                ? attempted
                : told(tick, run, job.corrected(before).withAgain(run));
    }

    /** A run of which the record keeps nothing but its tick. */
    private Claim bare(Tick tick, TickRecord before) {
        String text = before.withLast(tick.time()).text();
        return new Claim(
                tick, null, retries ? null : text, end -> retries && !end.failed() ? text : null, keep(tick.time()));
    }

    /** A run of which the record says when it began and how it ended. */
    private Claim told(Tick tick, TickRecord before, Run run, KnownJob job) {
        List<Note> notes = new ArrayList<>(List.of(run));
        Instant newest = before.newest();
        if (newest != null) {
            notes.addAll(job.missed(newest, run.tick()));
        }
        TickRecord begun = (retries ? before : before.withLast(run.tick())).with(notes);
        return told(tick, run, begun);
    }

    private Claim told(Tick tick, Run run, TickRecord begun) {
        return new Claim(
                tick,
                run,
                begun.text(),
                end -> {
                    TickRecord ended = begun.replaced(run, run.ended(end));
                    return (retries && !end.failed() ? ended.withLast(run.tick()) : ended).text();
                },
                keep(run.tick()).plus(MEMORY));
    }

    /** Until nobody can ask for the tick any more: two ticks later, and then some. If the next tick is not known, for as long as possible. */
    private Duration keep(Instant due) {
        Instant next = ticks.around(due).next();
        Duration keep =
                SLACK.plus(next == null ? LONGEST : Duration.between(due, next).multipliedBy(2));
        return keep.compareTo(LONGEST) < 0 ? keep : LONGEST;
    }

    /** A tick that lies ahead would stop the job until then: the server's clock went back, or somebody else wrote it. */
    private TickRecord plausible(Look look) {
        Reading reading = look.reading();
        TickRecord record = TickRecord.of(reading.text());
        if (record.isKnown() && !isAhead(record.last(), reading.time())) {
            return record;
        }
        WARNINGS.warn("The record of lock '" + LogText.escape(look.lockName()) + "' contains '"
                + LogText.escape(String.valueOf(reading.text())) + "', which no run can have written by "
                + reading.time() + " on the server's clock. It is ignored, so the current tick can run again");
        return TickRecord.of(null);
    }

    private boolean isAhead(@Nullable Instant tick, Instant now) {
        return tick != null
                && tick.isAfter(now)
                && tick.isAfter(now.plus(ticks.around(now).early()));
    }
}

package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.EarlierRunFailedException;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.Tick;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.RateLimitedLog;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.KeyExpression;
import dev.holdfast.lock.spring.declaration.LockAnnotation;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.job.JobCall.Claim;
import dev.holdfast.lock.spring.job.JobCall.RunRule;
import dev.holdfast.lock.spring.job.KnownJobs.KnownJob;
import dev.holdfast.lock.spring.job.TickRecord.Note;
import dev.holdfast.lock.spring.job.TickRecord.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * Runs a method once for each tick of its schedule. The record has the last tick that counts. All times are the server's.
 *
 * @param named the tick that each call names; null if the method has a schedule. The records of named ticks do not say what happened to them
 */
record TickRule(
        LockOperation operation,
        Ticks ticks,
        boolean retries,
        @Nullable KeyExpression named,
        KnownJobs jobs) implements RunRule {

    private static final Log LOG = LogFactory.getLog(TickRule.class);
    private static final RateLimitedLog WARNINGS = new RateLimitedLog(LOG);

    /** Longer than any difference between clocks: an instance that is late must still find its tick. */
    private static final Duration SLACK = Duration.ofHours(1);

    /** How much longer a record is kept that says what happened: an application that was down for a month still knows where it stopped. */
    private static final Duration MEMORY = Duration.ofDays(30);

    private static final Duration LONGEST = LockRecord.MAX_KEEP.minus(MEMORY);

    static TickRule of(LockOperation operation, MergedAnnotation<OncePerTick> annotation, KnownJobs jobs) {
        LockAnnotation source = operation.annotation();
        String named = annotation.getString("tick");
        boolean retries = RunRule.retries(annotation);
        if (!named.isEmpty()) {
            if (Declaration.isScheduled(source.method())) {
                throw source.invalid(
                        "'tick' does not go with @Scheduled, which has ticks of its own", "Remove one of them");
            }
            return new TickRule(operation, new Ticks(List.of()), retries, source.expression(named), jobs);
        }
        TickRule rule = new TickRule(operation, new ScheduledTicks(source).read(), retries, null, jobs);
        if (operation.key() == null) {
            rule.job(operation.name());
        }
        return rule;
    }

    @Override
    public AroundLock around(LockCall call) {
        return new JobCall(named == null ? this : naming(named, call), jobs, call);
    }

    private TickRule naming(KeyExpression tick, LockCall call) {
        Object value = call.value().apply(tick);
        Ticks.Given given = Ticks.Given.of(value);
        if (given == null) {
            throw new IllegalArgumentException("'tick = " + tick + "' of " + operation.signature() + " gives '" + value
                    + "', which is not a time. It needs an Instant, a Date, or a date with its time zone");
        }
        return new TickRule(operation, new Ticks(List.of(given)), retries, tick, jobs);
    }

    @Override
    public String ownsName() {
        return "'@OncePerTick'";
    }

    @Override
    public void check(List<LockOperation> ofMethod, Collection<DeclaredLock> others) {
        RunRule.super.check(ofMethod, others);
        // Instances fire at the tick, and not again until the next one.
        if (retries && !operation.waits()) {
            throw operation
                    .annotation()
                    .invalid(
                            "'onFailure = RETRY' needs instances that wait: the others skip the run while it is going on,"
                                    + " and nobody is left when it fails",
                            "Give 'waitTime' the time that a run takes, or leave 'onFailure' out");
        }
    }

    @Override
    public @Nullable KnownJob job(String lockName) {
        return named == null ? jobs.of(lockName, operation, ticks) : null;
    }

    @Override
    public boolean check(JobCall call, Reading now, boolean blocking) {
        due(call, now, plausible(call, now));
        return true;
    }

    @Override
    public Claim claim(JobCall call, Reading now) {
        TickRecord before = plausible(call, now);
        Instant due = due(call, now, before);
        if (due == null) {
            Claim attempted = attempted(call);
            return attempted == null ? Claim.NOTHING : again(call, before, attempted);
        }
        Instant succeeded = before.succeeded();
        Tick tick = new Tick(due, ticks.before(due), succeeded == null && retries ? before.last() : succeeded);
        KnownJob job = call.known();
        return job == null
                ? bare(tick, before)
                : told(tick, job.corrected(before), new Run(due, now.time(), call.instance()), job);
    }

    /** Returns the tick to run; null if its run is attempted again, or if each @Scheduled of the method is switched off, and somebody calls it. */
    private @Nullable Instant due(JobCall call, Reading now, TickRecord before) {
        Instant last = before.last();
        Instant due = ticks.due(now.time(), last);
        if (due == null && attempted(call) == null && ticks.around(now.time()).isAny()) {
            String message = "the tick " + last + " of lock '" + LogText.escape(call.lockName()) + "' has run already";
            LOG.debug("Skipped: " + message);
            throw call.alreadyRan(message);
        }
        return due;
    }

    private @Nullable Claim attempted(JobCall call) {
        Claim repeats = call.repeats();
        return retries || repeats == null || repeats.tick() == null ? null : repeats;
    }

    /** One more attempt of a run that has failed. Its tick counts, so nobody else runs it meanwhile. */
    private Claim again(JobCall call, TickRecord before, Claim attempted) {
        Tick tick = Objects.requireNonNull(attempted.tick());
        if (!tick.time().equals(before.last())) {
            throw new EarlierRunFailedException(
                    call.lockName(),
                    "The run of the tick " + tick.time() + " of lock '" + LogText.escape(call.lockName())
                            + "' has failed, and is not attempted again: the tick " + before.last() + " has run since");
        }
        Run run = attempted.run();
        KnownJob job = call.known();
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
    private TickRecord plausible(JobCall call, Reading now) {
        TickRecord record = TickRecord.of(now.text());
        if (record.isKnown() && !isAhead(record.last(), now.time())) {
            return record;
        }
        WARNINGS.warn("The record of lock '" + LogText.escape(call.lockName()) + "' contains '"
                + LogText.escape(String.valueOf(now.text())) + "', which no run can have written by "
                + now.time() + " on the server's clock. It is ignored, so the current tick can run again");
        return TickRecord.of(null);
    }

    private boolean isAhead(@Nullable Instant tick, Instant now) {
        return tick != null
                && tick.isAfter(now)
                && tick.isAfter(now.plus(ticks.around(now).early()));
    }
}

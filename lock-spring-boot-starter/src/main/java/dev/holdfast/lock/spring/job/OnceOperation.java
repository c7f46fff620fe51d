package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.call.Refusal;
import dev.holdfast.lock.spring.call.ReleaseTimer;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.KeyExpression;
import dev.holdfast.lock.spring.declaration.KeyText;
import dev.holdfast.lock.spring.declaration.LockAnnotation;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.job.Once.AlreadyRan;
import dev.holdfast.lock.spring.job.Once.Claim;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/** A method that runs only once for each tick or deployment, as its annotation says. */
record OnceOperation(
        LockOperation operation, Once once, @Nullable OncePerGivenTick given, UnwrittenEnds ends)
        implements LockFeature {

    /** Returns null for a method of which every call runs. */
    static @Nullable OnceOperation of(LockOperation operation, KnownJobs jobs, UnwrittenEnds ends) {
        LockAnnotation source = operation.annotation();
        MergedAnnotation<RunOnce> deployment = source.from(RunOnce.class);
        if (deployment != null) {
            String per = per(source, deployment.getString("per"));
            return new OnceOperation(operation, new OncePerDeployment(per, retries(deployment)), null, ends);
        }
        MergedAnnotation<OncePerTick> job = source.from(OncePerTick.class);
        return job == null ? null : ofJob(operation, job, jobs, ends);
    }

    private static OnceOperation ofJob(
            LockOperation operation, MergedAnnotation<OncePerTick> job, KnownJobs jobs, UnwrittenEnds ends) {
        LockAnnotation source = operation.annotation();
        ScheduledTicks schedule =
                new ScheduledTicks(source.method(), text -> source.evaluated(source.resolve("@Scheduled", text)));
        String given = job.getString("tick");
        if (!given.isEmpty()) {
            schedule.checkHasNone();
            TickRule none = new TickRule(new Ticks(List.of()), retries(job), null);
            KeyExpression tick = source.expression(given);
            return new OnceOperation(operation, none, new OncePerGivenTick(given, tick, retries(job)), ends);
        }
        TickRule once = new TickRule(schedule.read(), retries(job), jobs);
        once.declared(operation);
        return new OnceOperation(operation, once, null, ends);
    }

    private static boolean retries(MergedAnnotation<?> annotation) {
        return annotation.getEnum("onFailure", OnFailure.class) == OnFailure.RETRY;
    }

    private static String per(LockAnnotation source, String given) {
        String per = source.resolve("per", given).strip();
        if (per.isEmpty()) {
            throw source.invalid(
                    "'per = " + given + "' is empty, so every deployment would be the same",
                    "Give it what changes with each deployment, such as a commit or a version: per = \"${git.commit.id}\"");
        }
        if (per.startsWith("@") && per.endsWith("@")) {
            throw source.invalid(
                    "'per' is '" + per + "', which the build has not replaced, so every deployment would be the same",
                    "Let the build filter the file that the property comes from");
        }
        if (per.matches("(?s).*\\s.*")
                || !KeyText.isFitForName(per)
                || per.getBytes(StandardCharsets.UTF_8).length > OncePerDeployment.LONGEST_PER) {
            throw source.invalid(
                    "'per' is '" + LogText.escape(per) + "'",
                    "Use at most " + OncePerDeployment.LONGEST_PER + " bytes without blanks or control characters");
        }
        return per;
    }

    @Override
    public @Nullable AroundLock around(LockCall call) {
        String lockName = call.names().get(0);
        Once decides = given == null ? once : given.of(call);
        Attempt before = Attempt.failedBefore(call);
        OnceRecord record = new OnceRecord(
                call.client(),
                call.client().getRecord(lockName),
                decides,
                decides.job(lockName, operation),
                before == null ? null : before.claim());
        return new Run(record, operation.waits(), call, before, ends);
    }

    @Override
    public boolean skips() {
        return true;
    }

    @Override
    public String ownsName() {
        return once.attribute();
    }

    @Override
    public String trait() {
        return DeclaredLock.RUNS_ONCE;
    }

    @Override
    public void check(List<LockOperation> ofMethod, Collection<DeclaredLock> others) {
        LockAnnotation source = operation.annotation();
        if (ofMethod.size() > 1) {
            throw source.invalid(
                    once.attribute()
                            + " does not go with other locks of the same method: one that is busy would use the run up",
                    "Take the other lock in the method, or in a method that it calls");
        }
        if (once.needsWaiters() && !operation.waits()) {
            throw source.invalid(
                    "'onFailure = RETRY' needs instances that wait: the others skip the run while it is going on, and"
                            + " nobody is left when it fails",
                    "Give 'waitTime' the time that a run takes, or leave 'onFailure' out");
        }
        for (DeclaredLock other : others) {
            if (other.traits().contains(DeclaredLock.RUNS_ONCE)
                    && other.name().equals(operation.name())
                    && !other.method().equals(operation.method())) {
                throw source.invalid(
                        once.attribute() + " needs a name of its own, and the lock '" + operation.name()
                                + "' is also that of " + Declaration.signature(other.method())
                                + ", which would count as its run",
                        "Rename one of them");
            }
        }
    }

    /**
     * A call that must run only once. It looks at the record beside the lock before it requests the lock, so that a call with nothing to run does not wait.
     * Another instance may run it meanwhile, so it looks again under the lock.
     */
    private static final class Run implements AroundLock {

        private static final Log LOG = LogFactory.getLog(OnceOperation.class);

        /** The pause before a text is written again that Redis did not confirm, and how often it is tried. The lease may end earlier. */
        private static final Duration PAUSE = Duration.ofMillis(100);

        private static final int ATTEMPTS = 100;

        private static final String ALREADY_RUN = "already-run";

        private final OnceRecord record;
        private final boolean waits;
        private final LockCall call;
        /** The attempt of this call that has failed before; null for the first one. */
        private final @Nullable Attempt before;

        private final UnwrittenEnds ends;
        /** What was read before the lock was requested. Null until then, and if Redis did not answer. */
        private volatile OnceRecord.@Nullable Seen seen;
        /** What this run leaves in the record, and the lease under which it writes it. Null until it begins. */
        private volatile @Nullable Begun begun;

        private record Begun(Lease lease, Attempt attempt) {}

        private Run(OnceRecord record, boolean waits, LockCall call, @Nullable Attempt before, UnwrittenEnds ends) {
            this.record = record;
            this.waits = waits;
            this.call = call;
            this.before = before;
            this.ends = ends;
        }

        @Override
        public CompletableFuture<?> beforeRequest(boolean blocking) {
            return skipping(ends.written(record.record().lockName(), blocking)
                    .thenCompose(written -> record.look(blocking, waits))
                    .thenAccept(found -> seen = found));
        }

        @Override
        public CompletableFuture<?> whenHeld(Lease lease, boolean blocking) {
            return skipping(record.claim(blocking, lease, seen).thenAccept(claim -> {
                begun = new Begun(lease, Attempt.begin(call, claim, before));
                if (claim.tick() != null) {
                    LockContext.bindTick(lease, claim.tick());
                }
            }));
        }

        /** The method runs. If Redis has failed after the grant, its tick is not written, so the record does not know of the run. */
        @Override
        public void acquired(Lease lease) {
            KnownJob job = record.job();
            if (begun == null && job != null) {
                job.refused("ran-without-record");
            }
        }

        private static <T> CompletableFuture<T> skipping(CompletableFuture<T> step) {
            return step.exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                    AroundLock.cause(failure) instanceof AlreadyRan ran
                            ? new Refusal.ByFeature(ran, ALREADY_RUN, true)
                            : failure));
        }

        /** Remembers why the tick does not run, for the record of the next run here. */
        @Override
        public void refused(Refusal refusal) {
            if (before != null) {
                LOG.warn("The run under lock '" + LogText.escape(record.record().lockName())
                        + "' has failed, and is not attempted again: "
                        + refusal.reason().getMessage());
            }
            KnownJob job = record.job();
            if (job != null && !refusal.outcome().equals(ALREADY_RUN)) {
                job.refused(refusal.isBusy() ? "busy" : refusal.proceeds() ? "ran-without-lock" : refusal.outcome());
            }
        }

        /** Writes what the run leaves at its end. Never fails: a lost lease fails the release. */
        @Override
        public CompletableFuture<?> beforeRelease(RunEnd end, boolean blocking) {
            Begun run = begun;
            if (run == null) {
                return DONE;
            }
            if (end.failed()) {
                run.attempt().fail();
            }
            return write(run, run.attempt().end(end), blocking, ATTEMPTS);
        }

        @Override
        public void lost(LeaseLoss loss) {
            Begun run = begun;
            if (run != null) {
                run.attempt().fail();
            }
        }

        @Override
        public void released() {
            ends.released(this);
        }

        private CompletableFuture<@Nullable Void> write(Begun run, RunEnd end, boolean blocking, int attempts) {
            Claim claim = run.attempt().claim();
            return record.write(blocking, run.lease(), claim.atEnd().apply(end), claim.keep())
                    .handle((done, failure) ->
                            ended(run, end, failure == null ? null : AroundLock.cause(failure), attempts))
                    .thenCompose(next -> next);
        }

        private CompletableFuture<@Nullable Void> ended(
                Begun run, RunEnd end, @Nullable Throwable failure, int attempts) {
            if (failure instanceof LockUnavailableException
                    && attempts > 1
                    && run.lease().isHeld()) {
                // Others would repeat the run, or take it for one that died, so it is tried again. Nobody waits for it
                // but the lock.
                ends.add(record.record().lockName(), this);
                return ReleaseTimer.limit(new CompletableFuture<>(), PAUSE)
                        .thenCompose(paused -> write(run, end, false, attempts - 1));
            }
            String lockName = record.record().lockName();
            if (failure == null) {
                record.once().ended(lockName, !end.failed());
            } else {
                unwritten(run.attempt().claim(), end, failure instanceof LeaseLostException);
                LOG.warn("The run under lock '" + LogText.escape(lockName) + "' has "
                        + (end.failed() ? "failed" : "succeeded")
                        + ", but this was not written beside the lock, so other instances do not know it: "
                        + failure);
            }
            return CompletableFuture.completedFuture(null);
        }

        private void unwritten(Claim claim, RunEnd end, boolean lost) {
            KnownJob job = record.job();
            TickRecord.Run run = claim.run();
            if (job != null && run != null) {
                job.unwritten(run, lost ? run.ended(end.took(), TickRecord.Run.LOST, null) : run.ended(end));
            }
        }
    }
}

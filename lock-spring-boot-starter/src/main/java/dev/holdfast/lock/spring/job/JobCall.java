package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.Tick;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.call.Refusal;
import dev.holdfast.lock.spring.call.StarterThreads;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.LockAnnotation;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.job.KnownJobs.KnownJob;
import dev.holdfast.lock.spring.job.KnownJobs.KnownJob.Seen;
import dev.holdfast.lock.spring.job.TickRecord.Run;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * A call that must run only once. It looks at the record beside the lock before it requests the lock, so that a call with nothing to run does not wait.
 * Under the lock, it claims the run with what it has read, unless another call has written since. Then it looks again.
 *
 * <p>An advice outside of the lock, such as that of {@code @Retryable}, repeats a call that has failed: that is one more attempt of the same run. Spring
 * gives all attempts the same map of attributes, whatever their threads. All subscriptions to one publisher share a map, too.
 */
final class JobCall implements AroundLock {

    /** A method that runs only once for each tick or deployment. The record beside the lock decides whether a call still has to run. */
    interface RunRule extends LockFeature {

        LockOperation operation();

        /** Returns the name of what the user wrote. */
        @Override
        String ownsName();

        /**
         * Checks before the lock is requested that the call may have something to run. Another call may hold the lock and run it.
         *
         * @return whether the record, if it has not changed, can be claimed under the lock as well
         * @throws Refusal.ByFeature if the call has nothing to run
         */
        boolean check(JobCall call, Reading now, boolean blocking);

        /**
         * Returns what a run that begins now, under the lock, leaves in the record.
         *
         * @throws Refusal.ByFeature if the call has nothing to run
         */
        Claim claim(JobCall call, Reading now);

        /** Called when a run begins. */
        default void began(JobCall call) {}

        /** Called when a run that has begun has ended. */
        default void ended(JobCall call, boolean succeeded) {}

        /** Returns what this instance knows of the job; null if records do not say what happened to ticks. */
        @Nullable
        KnownJob job(String lockName);

        static boolean retries(MergedAnnotation<?> annotation) {
            return annotation.getEnum("onFailure", OnFailure.class) == OnFailure.RETRY;
        }

        @Override
        default boolean skips() {
            return true;
        }

        @Override
        default String trait() {
            return DeclaredLock.RUNS_ONCE;
        }

        @Override
        default void check(List<LockOperation> ofMethod, Collection<DeclaredLock> others) {
            LockAnnotation source = operation().annotation();
            if (Boolean.TRUE.equals(operation().settings().bypass())) {
                throw source.invalid(
                        "'bypass' is set for the lock '" + operation().name() + "', so " + ownsName()
                                + " would run on every instance",
                        "Remove the setting. To stop the runs for a time, pause the lock: see LockPauses");
            }
            if (ofMethod.size() > 1) {
                throw source.invalid(
                        ownsName()
                                + " does not go with other locks of the same method: one that is busy would use the run up",
                        "Take the other lock in the method, or in a method that it calls");
            }
            for (DeclaredLock other : others) {
                if (other.traits().contains(DeclaredLock.RUNS_ONCE)
                        && other.name().equals(operation().name())
                        && !other.method().equals(operation().method())) {
                    throw source.invalid(
                            ownsName() + " needs a name of its own, and the lock '"
                                    + operation().name() + "' is also that of " + Declaration.signature(other.method())
                                    + ", which would count as its run",
                            "Rename one of them");
                }
            }
        }
    }

    /**
     * What a run leaves in the record.
     *
     * @param tick the tick that runs; null if none does
     * @param run the run as the record says it; null if the record does not
     * @param atStart the text that is written before the run; null for none
     * @param atEnd returns the text that is written when the run has ended; null for none
     * @param keep for how long either text is kept
     */
    record Claim(
            @Nullable Tick tick,
            @Nullable Run run,
            @Nullable String atStart,
            Function<RunEnd, @Nullable String> atEnd,
            Duration keep) {
        static final Claim NOTHING = new Claim(null, null, null, end -> null, Duration.ZERO);
    }

    private static final Log LOG = LogFactory.getLog(JobCall.class);

    /** The pause before a text is written again that Redis did not confirm, and how often it is tried. The lease may end earlier. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private static final int ATTEMPTS = 100;

    private static final String ATTRIBUTE = JobCall.class.getName();

    private static final String ALREADY_RUN = "already-run";

    private final RunRule rule;
    private final KnownJobs jobs;
    private final LockCall call;
    private final LockRecord record;
    /** What this instance knows of the job; null if records do not say what happened to ticks. */
    private final @Nullable KnownJob known;
    /** What the attempt before has claimed, if it has failed; null for the first one. */
    private final @Nullable Claim repeats;

    /** What was read before the lock was requested. Null until then, if it does not decide, and if Redis did not answer. */
    private volatile @Nullable Seen seen;
    /** What this run leaves in the record, and the lease under which it writes it. Null until it begins. */
    private volatile @Nullable Claim begun;

    private volatile @Nullable Lease lease;
    /** When the run has begun: with its first attempt. */
    private volatile long begunNanos;

    private volatile boolean failed;
    private final CompletableFuture<@Nullable Void> released = new CompletableFuture<>();

    JobCall(RunRule rule, KnownJobs jobs, LockCall call) {
        String lockName = call.names().get(0);
        this.rule = rule;
        this.jobs = jobs;
        this.call = call;
        this.record = call.client().getRecord(lockName);
        this.known = rule.job(lockName);
        JobCall before = last(call, null);
        this.repeats = before != null && before.failed ? before.begun : null;
        this.begunNanos = before == null ? 0 : before.begunNanos;
    }

    /** Returns the last attempt, and replaces it unless the next one is null. Subscribers may come on several threads, which the map is not made for. */
    private static @Nullable JobCall last(LockCall call, @Nullable JobCall next) {
        ProxyMethodInvocation proxied = call.proxied();
        if (proxied == null) {
            return null;
        }
        synchronized (ATTRIBUTE) {
            JobCall last = (JobCall) proxied.getUserAttribute(ATTRIBUTE);
            if (next != null) {
                proxied.setUserAttribute(ATTRIBUTE, next);
            }
            return last;
        }
    }

    String lockName() {
        return record.lockName();
    }

    /** Returns the name of this instance. */
    String instance() {
        return call.client().clientName();
    }

    @Nullable
    KnownJob known() {
        return known;
    }

    @Nullable
    Claim repeats() {
        return repeats;
    }

    @Override
    public CompletableFuture<?> beforeRequest(boolean blocking) {
        return jobs.written(record.lockName(), blocking)
                .thenCompose(written -> look(blocking))
                .thenAccept(found -> seen = found);
    }

    /** A call that waits does not fail if Redis does not answer, because its wait includes outages. */
    private CompletableFuture<@Nullable Seen> look(boolean blocking) {
        return read(blocking)
                .<@Nullable Seen>thenApply(now -> rule.check(this, now.atNow(), blocking) ? now : null)
                .exceptionallyCompose(failure ->
                        call.operation().waits() && AroundLock.cause(failure) instanceof LockUnavailableException
                                ? CompletableFuture.completedFuture(null)
                                : CompletableFuture.failedFuture(failure));
    }

    /** Passes on the name of the instance that holds the lock now, if it is held. It is only for logs, so nothing waits for it. */
    void tellHolder(boolean blocking, Consumer<String> use) {
        Executor asking = blocking ? Runnable::run : StarterThreads.threadFor("holdfast-holder");
        asking.execute(() -> {
            try {
                call.client().inspect(record.lockName()).ifPresent(state -> use.accept(name(state.holder())));
            } catch (LockException notAnswered) {
                // Nobody needs the name.
            }
        });
    }

    private static String name(Holder holder) {
        return LogText.escape(holder.clientName() == null ? holder.client() : holder.clientName());
    }

    @Override
    public CompletableFuture<?> whenHeld(Lease lease, boolean blocking) {
        Seen earlier = seen;
        CompletableFuture<Claim> claim = earlier == null
                ? read(blocking).thenCompose(now -> claim(lease, now, true, blocking))
                : CompletableFuture.completedFuture(earlier).thenCompose(known -> claim(lease, known, false, blocking));
        return claim.thenAccept(claimed -> {
            begin(claimed, lease);
            rule.began(this);
            if (claimed.tick() != null) {
                LockContext.bindTick(lease, claimed.tick());
            }
        });
    }

    private void begin(Claim claimed, Lease holder) {
        if (repeats == null || !Objects.equals(repeats.run(), claimed.run())) {
            begunNanos = System.nanoTime();
        }
        lease = holder;
        begun = claimed;
        last(call, this);
    }

    /** Decides under the lock, and writes what a run that begins now leaves in the record, unless another call has written since. */
    private CompletableFuture<Claim> claim(Lease lease, Seen now, boolean isReadUnderLock, boolean blocking) {
        Claim claim = rule.claim(this, now.atNow());
        String text = claim.atStart();
        if (text == null) {
            return isReadUnderLock
                    ? CompletableFuture.completedFuture(claim)
                    : read(blocking).thenCompose(again -> claim(lease, again, true, blocking));
        }
        String expected = now.reading().text();
        return AroundLock.answer(
                        blocking,
                        () -> record.replace(lease, expected, text, claim.keep()),
                        () -> record.replaceAsync(lease, expected, text, claim.keep()))
                .thenCompose(done -> {
                    Seen after = saw(done.now());
                    return done.isWritten()
                            ? CompletableFuture.completedFuture(claim)
                            : claim(lease, after, true, blocking);
                });
    }

    private CompletableFuture<Seen> read(boolean blocking) {
        return AroundLock.answer(blocking, record::read, record::readAsync).thenApply(this::saw);
    }

    private Seen saw(Reading reading) {
        return known == null ? new Seen(reading, System.nanoTime()) : known.saw(reading);
    }

    /** The method runs. If Redis has failed after the grant, its tick is not written, so the record does not know of the run. */
    @Override
    public void acquired(Lease lease) {
        if (begun == null && known != null) {
            known.refused("ran-without-record");
        }
    }

    /** Returns the refusal of a call whose run has happened already, here or on another instance. The call is skipped. */
    Refusal.ByFeature alreadyRan(String message) {
        return new Refusal.ByFeature(new LockException(record.lockName(), message, null), ALREADY_RUN, true);
    }

    /** Remembers why the tick does not run, for the record of the next run here. */
    @Override
    public void refused(Refusal refusal) {
        if (repeats != null) {
            LOG.warn("The run under lock '" + LogText.escape(record.lockName())
                    + "' has failed, and is not attempted again: "
                    + refusal.reason().getMessage());
        }
        if (known != null && !refusal.outcome().equals(ALREADY_RUN)) {
            known.refused(refusal.isBusy() ? "busy" : refusal.proceeds() ? "ran-without-lock" : refusal.outcome());
        }
    }

    /** Writes what the run leaves at its end. Never fails: a lost lease fails the release. */
    @Override
    public CompletableFuture<?> beforeRelease(RunEnd end, boolean blocking) {
        Claim claim = begun;
        Lease holder = lease;
        if (claim == null || holder == null) {
            return DONE;
        }
        if (end.failed()) {
            failed = true;
        }
        Duration took = end.took() == null ? null : Duration.ofNanos(System.nanoTime() - begunNanos);
        return write(claim, holder, new RunEnd(took, end.failed(), end.thrown()), blocking, ATTEMPTS);
    }

    @Override
    public void lost(LeaseLoss loss) {
        if (begun != null) {
            failed = true;
        }
    }

    @Override
    public void released() {
        jobs.released(record.lockName(), released);
    }

    private CompletableFuture<@Nullable Void> write(
            Claim claim, Lease holder, RunEnd end, boolean blocking, int attempts) {
        String text = claim.atEnd().apply(end);
        CompletableFuture<?> written = text == null
                ? DONE
                : AroundLock.answer(
                        blocking,
                        () -> {
                            record.write(holder, text, claim.keep());
                            return true;
                        },
                        () -> record.writeAsync(holder, text, claim.keep()).thenApply(done -> true));
        return written.handle((done, failure) ->
                        ended(claim, holder, end, failure == null ? null : AroundLock.cause(failure), attempts))
                .thenCompose(next -> next);
    }

    private CompletableFuture<@Nullable Void> ended(
            Claim claim, Lease holder, RunEnd end, @Nullable Throwable failure, int attempts) {
        if (failure instanceof LockUnavailableException && attempts > 1 && holder.isHeld()) {
            // Others would repeat the run, or take it for one that died, so it is tried again. Nobody waits for it but
            // the lock.
            jobs.unwritten(record.lockName(), released);
            return StarterThreads.limit(new CompletableFuture<>(), PAUSE)
                    .thenCompose(paused -> write(claim, holder, end, false, attempts - 1));
        }
        if (failure == null) {
            rule.ended(this, !end.failed());
        } else {
            unwritten(claim.run(), end, failure instanceof LeaseLostException);
            LOG.warn("The run under lock '" + LogText.escape(record.lockName()) + "' has "
                    + (end.failed() ? "failed" : "succeeded")
                    + ", but this could not be recorded in Redis, so other instances do not know it: "
                    + failure);
        }
        return CompletableFuture.completedFuture(null);
    }

    private void unwritten(@Nullable Run run, RunEnd end, boolean lost) {
        if (known != null && run != null) {
            known.unwritten(run, lost ? run.ended(end.took(), Run.LOST, null) : run.ended(end));
        }
    }
}

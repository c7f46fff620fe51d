package dev.holdfast.lock.spring.board;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.call.ReleaseTimer;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.job.KnownJob;
import dev.holdfast.lock.spring.schedule.FiredTask;
import dev.holdfast.lock.spring.schedule.FiredTasks;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Makes up for ticks that nobody has run before this instance started, once for each job: it calls the scheduled method. That is a call like any other,
 * so the lock and the record see to it that the latest tick does not run twice.
 */
record MissedTicks(ListableBeanFactory beans, Supplier<@Nullable FiredTasks> fired, Set<String> called)
        implements LockFeature {

    private static final Log LOG = LogFactory.getLog(MissedTicks.class);

    MissedTicks(ListableBeanFactory beans, Supplier<@Nullable FiredTasks> fired) {
        this(beans, fired, ConcurrentHashMap.newKeySet());
    }

    @Override
    public @Nullable AroundOperation of(LockOperation operation) {
        if (MissedSettings.runsOnce(operation) && !operation.annotation().is("oncePerTick")) {
            throw operation
                    .annotation()
                    .invalid(
                            "'missed = RUN_ONCE' means nothing here, because only ticks of 'oncePerTick' can be missed",
                            "Add 'oncePerTick' to a @Scheduled method, or leave 'missed' out");
        }
        return null;
    }

    @Override
    public Set<String> attributes() {
        return Set.of("missed");
    }

    /** The ticks that are overdue begin before this instance knew the job. Those after it are not made up for. */
    void overdue(KnownJob job, Overdue overdue) {
        if (MissedSettings.runsOnce(job.operation())
                && overdue.since().isBefore(job.since())
                && job.hasRun()
                && called.add(job.lockName())) {
            FiredTask.scheduled(beans, job.operation().method())
                    .ifPresentOrElse(
                            call -> start(job, overdue, call),
                            () -> LOG.warn("Cannot make up for the missed ticks of job '"
                                    + LogText.escape(job.lockName()) + "': nothing schedules it"));
        }
    }

    private void start(KnownJob job, Overdue overdue, Runnable call) {
        LOG.info("Makes up for the ticks of job '" + LogText.escape(job.lockName()) + "' that nobody has run since "
                + overdue.since() + ", unless another instance does");
        FiredTasks known = fired.get();
        if (known == null) {
            ReleaseTimer.daemon(call, "holdfast-missed-ticks").start();
        } else {
            known.fire(call);
        }
    }
}

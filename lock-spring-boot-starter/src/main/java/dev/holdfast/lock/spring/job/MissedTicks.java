package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.Missed;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/**
 * Makes up for ticks that nobody has run before this instance started, once for each job: the application's scheduler calls the scheduled method. That is
 * a call like any other, so the lock and the record see to it that the latest tick does not run twice.
 *
 * @param scheduler complete when the application schedules its tasks, which is at the end of its start
 */
record MissedTicks(ListableBeanFactory beans, CompletableFuture<TaskScheduler> scheduler, Set<String> called)
        implements SchedulingConfigurer {

    private static final Log LOG = LogFactory.getLog(MissedTicks.class);

    MissedTicks(ListableBeanFactory beans) {
        this(beans, new CompletableFuture<>(), ConcurrentHashMap.newKeySet());
    }

    @Override
    public void configureTasks(ScheduledTaskRegistrar registrar) {
        TaskScheduler given = registrar.getScheduler();
        if (given != null) {
            scheduler.complete(given);
        }
    }

    /** Refuses a setting for ticks of a lock that has none. */
    static void check(LockOperation operation) {
        if (runsOnce(operation) && operation.annotation().from(OncePerTick.class) == null) {
            throw operation
                    .annotation()
                    .invalid(
                            "'missed = RUN_ONCE' means nothing here, because only ticks of '@OncePerTick' can be missed",
                            "Use @OncePerTick on a @Scheduled method, or leave 'missed' out");
        }
    }

    /** The configuration overrides the annotation. */
    private static boolean runsOnce(LockOperation operation) {
        Missed configured = operation.settings().missed();
        MergedAnnotation<OncePerTick> job = operation.annotation().from(OncePerTick.class);
        return configured != null
                ? configured == Missed.RUN_ONCE
                : job != null && job.getEnum("missed", Missed.class) == Missed.RUN_ONCE;
    }

    /** The ticks that are overdue begin before this instance knew the job. Those after it are not made up for. */
    void overdue(KnownJob job, Overdue overdue) {
        if (runsOnce(job.operation())
                && overdue.since().isBefore(job.since())
                && job.hasRun()
                && called.add(job.lockName())) {
            ScheduledCalls.of(beans, job.operation().method())
                    .ifPresentOrElse(
                            call -> start(job, overdue, call),
                            () -> LOG.warn("Cannot make up for the missed ticks of job '"
                                    + LogText.escape(job.lockName()) + "': nothing schedules it"));
        }
    }

    private void start(KnownJob job, Overdue overdue, Runnable call) {
        LOG.info("Makes up for the ticks of job '" + LogText.escape(job.lockName()) + "' that nobody has run since "
                + overdue.since() + ", unless another instance does");
        scheduler.thenAccept(given -> given.schedule(call, given.getClock().instant()));
    }
}

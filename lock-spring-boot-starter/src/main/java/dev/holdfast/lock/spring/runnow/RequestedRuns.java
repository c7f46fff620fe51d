package dev.holdfast.lock.spring.runnow;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.JobRuns;
import dev.holdfast.lock.spring.JobStarted;
import dev.holdfast.lock.spring.call.Announcement;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.KeyText;
import dev.holdfast.lock.spring.schedule.FiredTask;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.scheduling.support.TaskUtils;

/** Starts runs of scheduled methods. A log line and an application event record who did. */
record RequestedRuns(DeclaredLocks declared, ListableBeanFactory beans, ApplicationEventPublisher events)
        implements JobRuns {

    private static final Log LOG = LogFactory.getLog(RequestedRuns.class);

    /** How long the start of a run is waited for. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Override
    public void runNow(String name, boolean countsAsTick, @Nullable String by, String reason) {
        KeyText.checkLine("The reason", reason, MAX_REASON);
        DeclaredLock job = job(name);
        if (countsAsTick && !job.traits().contains(DeclaredLock.RUNS_ONCE)) {
            throw new IllegalArgumentException(
                    "The run cannot count as a tick: " + signature(job) + " has no 'oncePerTick'");
        }
        RequestedRun run = new RequestedRun(countsAsTick, new CompletableFuture<>());
        FiredTask fired = FiredTask.forPurpose(task(job.method()), run);
        String what = "lock '" + LogText.escape(name) + "' for "
                + (by == null ? "an unknown caller" : "'" + LogText.escape(by) + "'") + " because: " + reason;
        new Thread(null, () -> run(fired), "holdfast-run-now", 0, false).start();
        try {
            await(run);
        } catch (RuntimeException e) {
            LOG.info("Did not run " + signature(job) + " under " + what + ". " + e.getMessage());
            throw e;
        }
        LOG.warn("Runs " + signature(job) + " now, under " + what
                + (countsAsTick ? ". It is the run of the present tick" : ". It counts as no tick"));
        // The run has begun.
        Announcement.publish(events, new JobStarted(name, countsAsTick, by, reason), LOG);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            TaskUtils.LOG_AND_SUPPRESS_ERROR_HANDLER.handleError(e);
        }
    }

    private static void await(RequestedRun run) {
        try {
            run.answer().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "The method has not begun within " + LogText.time(LIMIT) + ", and may begin later", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the method was about to begin", e);
        }
    }

    private DeclaredLock job(String name) {
        List<DeclaredLock> named =
                declared.all().stream().filter(lock -> lock.name().equals(name)).toList();
        String lock = "lock '" + LogText.escape(name) + "'";
        if (named.isEmpty()) {
            throw new IllegalArgumentException("This application declares no " + lock);
        }
        List<DeclaredLock> jobs = named.stream()
                .filter(each -> Declaration.isScheduled(each.method()))
                .toList();
        if (jobs.isEmpty()) {
            throw new IllegalArgumentException("No @Scheduled method has the " + lock + ", which is that of "
                    + all(named) + ". Only what a schedule calls without arguments can be run");
        }
        if (jobs.size() > 1) {
            throw new IllegalArgumentException(
                    "Several @Scheduled methods have the " + lock + ": " + all(jobs) + ". Give each a lock of its own");
        }
        DeclaredLock job = jobs.get(0);
        if (Boolean.FALSE.equals(job.settings().enabled())) {
            throw new IllegalArgumentException("The " + lock + " is switched off, so a run would have no lock");
        }
        return job;
    }

    private static String all(List<DeclaredLock> locks) {
        return locks.stream().map(RequestedRuns::signature).collect(Collectors.joining(", "));
    }

    private static String signature(DeclaredLock lock) {
        return Declaration.signature(lock.method());
    }

    private Runnable task(Method method) {
        String[] beansOfJob = beans.getBeanNamesForType(method.getDeclaringClass(), true, false);
        if (beansOfJob.length > 1) {
            throw new IllegalArgumentException("Several beans have the method " + Declaration.signature(method) + ": "
                    + String.join(", ", beansOfJob) + ". Which one should run cannot be said");
        }
        return FiredTask.scheduled(beans, method)
                .orElseThrow(() -> new IllegalArgumentException("Spring's scheduler has no task that calls "
                        + Declaration.signature(method)
                        + ": scheduling is not enabled, the schedule is '-', or the method returns a publisher"));
    }
}

package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.JobStopRequested;
import dev.holdfast.lock.spring.call.Announcement;
import dev.holdfast.lock.spring.job.KnownJobs.KnownJob;
import dev.holdfast.lock.spring.job.KnownJobs.KnownJob.Seen;
import dev.holdfast.lock.spring.job.OverdueWatch.Overdue;
import dev.holdfast.lock.spring.job.TickRecord.Gap;
import dev.holdfast.lock.spring.job.TickRecord.Run;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

/** The board, as the records of runs show it. */
record RecordedBoard(Supplier<LockClient> client, KnownJobs known, ApplicationEventPublisher events)
        implements JobBoard {

    private static final Log LOG = LogFactory.getLog(RecordedBoard.class);
    private static final String STOP_REQUESTED = "stop-requested";

    @Override
    public List<Job> jobs() {
        return read(known.all().stream());
    }

    @Override
    public List<Job> jobs(String name) {
        return read(ofName(name));
    }

    private List<Job> read(Stream<KnownJob> jobs) {
        return jobs.sorted(Comparator.comparing(KnownJob::lockName))
                .map(this::job)
                .toList();
    }

    private Stream<KnownJob> ofName(String name) {
        return known.all().stream().filter(job -> job.operation().name().equals(name));
    }

    @Override
    public SortedSet<String> names() {
        return known.all().stream().map(job -> job.operation().name()).collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public boolean requestStop(String name, @Nullable String by) {
        boolean asked = false;
        SortedSet<String> locks = ofName(name).map(KnownJob::lockName).collect(Collectors.toCollection(TreeSet::new));
        locks.add(name);
        for (String lock : locks) {
            if (client.get().requestStop(lock)) {
                asked = true;
                LOG.warn("Job '" + LogText.escape(lock) + "' was asked to stop"
                        + (by == null ? "" : " by '" + LogText.escape(by) + "'"));
                Announcement.publish(events, new JobStopRequested(lock, by), LOG);
            }
        }
        return asked;
    }

    private Job job(KnownJob job) {
        Seen seen = job.read(client.get());
        TickRecord record = seen.record();
        List<Entry> history = new ArrayList<>();
        Overdue overdue = OverdueWatch.overdue(job, seen);
        if (overdue != null) {
            overdue.missed().forEach(missed -> history.add(entry(missed)));
        }
        boolean newest = true;
        for (TickRecord.Note each : record.notes()) {
            if (each instanceof Run run) {
                history.add(entry(run, newest ? goingOn(job, run) : null));
                newest = false;
            } else {
                history.add(entry((Gap) each));
            }
        }
        return new Job(
                job.operation().name(),
                job.lockName(),
                seen.time(),
                record.last(),
                job.next(seen.time()),
                record.succeeded(),
                overdue == null ? null : overdue.since(),
                history.stream()
                        .filter(entry -> entry.outcome() == Outcome.RUNNING)
                        .findFirst()
                        .orElse(null),
                history);
    }

    /** Returns the lock of a run that is going on; null if it is not. */
    private @Nullable LockState goingOn(KnownJob job, Run run) {
        return !run.outcome().equals(Run.RUNNING)
                ? null
                : client.get()
                        .inspect(job.lockName())
                        .filter(held -> held.holder().clientName() == null
                                || held.holder().clientName().startsWith(run.instance()))
                        .orElse(null);
    }

    private static Entry entry(Gap missed) {
        return new Entry(missed.tick(), Outcome.MISSED, missed.count(), null, null, null, missed.reason());
    }

    private static Entry entry(Run run, @Nullable LockState held) {
        Outcome outcome = switch (run.outcome()) {
            case Run.RUNNING -> held == null ? Outcome.DIED : Outcome.RUNNING;
            case Run.SUCCEEDED -> Outcome.SUCCEEDED;
            case Run.FAILED -> Outcome.FAILED;
            case Run.LOST -> Outcome.LOST;
            default -> Outcome.UNKNOWN;
        };
        String reason = held != null && held.stopRequested() ? STOP_REQUESTED : run.failure();
        return new Entry(run.tick(), outcome, 1, run.instance(), run.began(), run.took(), reason);
    }
}

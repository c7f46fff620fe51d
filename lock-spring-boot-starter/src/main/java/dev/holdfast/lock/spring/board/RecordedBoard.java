package dev.holdfast.lock.spring.board;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.declaration.FeatureReport;
import dev.holdfast.lock.spring.job.KnownJob;
import dev.holdfast.lock.spring.job.KnownJob.Seen;
import dev.holdfast.lock.spring.job.KnownJobs;
import dev.holdfast.lock.spring.job.TickRecord;
import dev.holdfast.lock.spring.job.TickRecord.Gap;
import dev.holdfast.lock.spring.job.TickRecord.Run;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

/** The board, and what the health contributor shows of it. */
@RegisterReflectionForBinding(JobBoard.Job.class)
record RecordedBoard(Supplier<LockClient> client, KnownJobs known) implements JobBoard, FeatureReport {

    @Override
    public List<Job> jobs() {
        return known.all().stream()
                .sorted(Comparator.comparing(KnownJob::lockName))
                .map(this::job)
                .toList();
    }

    private Job job(KnownJob job) {
        Seen seen = read(job);
        TickRecord record = seen.record();
        List<Entry> history = new ArrayList<>();
        Overdue overdue = OverdueWatch.overdue(job, seen);
        if (overdue != null) {
            overdue.missed().forEach(missed -> history.add(entry(missed)));
        }
        boolean newest = true;
        for (TickRecord.Note each : record.notes()) {
            if (each instanceof Run run) {
                history.add(entry(run, newest && isGoingOn(job, run)));
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

    private Seen read(KnownJob job) {
        try {
            return job.read(client.get()).join();
        } catch (CompletionException e) {
            throw AroundLock.cause(e) instanceof RuntimeException failure ? failure : e;
        }
    }

    private boolean isGoingOn(KnownJob job, Run run) {
        return run.outcome().equals(Run.RUNNING)
                && client.get()
                        .inspect(job.lockName())
                        .map(LockState::holder)
                        .filter(holder -> holder.clientName() == null
                                || holder.clientName().startsWith(run.instance()))
                        .isPresent();
    }

    private static Entry entry(Gap missed) {
        return new Entry(missed.tick(), Outcome.MISSED, missed.count(), null, null, null, missed.reason());
    }

    private static Entry entry(Run run, boolean isGoingOn) {
        Outcome outcome = switch (run.outcome()) {
            case Run.RUNNING -> isGoingOn ? Outcome.RUNNING : Outcome.DIED;
            case Run.SUCCEEDED -> Outcome.SUCCEEDED;
            case Run.FAILED -> Outcome.FAILED;
            case Run.LOST -> Outcome.LOST;
            default -> Outcome.UNKNOWN;
        };
        return new Entry(run.tick(), outcome, 1, run.instance(), run.began(), run.took(), run.failure());
    }

    @Override
    public Map<String, Object> health() {
        List<String> overdue = known.all().stream()
                .sorted(Comparator.comparing(KnownJob::lockName))
                .flatMap(job -> Stream.ofNullable(OverdueWatch.overdue(job))
                        .map(found -> LogText.escape(job.lockName()) + ": " + found.describe()))
                .toList();
        Map<String, Object> details = new LinkedHashMap<>();
        if (!overdue.isEmpty()) {
            details.put("overdue", overdue);
        }
        return details;
    }
}

package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.JobBoard.Entry;
import dev.holdfast.lock.spring.JobBoard.Job;
import dev.holdfast.lock.spring.JobBoard.Outcome;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;

/** AssertJ assertions on what happened to the ticks of jobs. The message of each failure contains the whole board of the job. */
public final class JobAssertions extends AbstractAssert<JobAssertions, JobBoard> {

    private JobAssertions(JobBoard board) {
        super(board, JobAssertions.class);
    }

    /**
     * Starts assertions on the jobs of an application. Import it statically, beside AssertJ's methods of the same name.
     *
     * @param board the bean of the application
     */
    public static JobAssertions assertThat(JobBoard board) {
        return new JobAssertions(board);
    }

    /** Verifies that the job succeeded exactly that often, among the runs that the board keeps. */
    public JobAssertions succeeded(String job, int times) {
        return check(job, entry -> entry.outcome() == Outcome.SUCCEEDED, times, "succeeded");
    }

    /** Verifies that runs of the job failed with this exception exactly that often. */
    public JobAssertions failed(String job, Class<? extends Throwable> failure, int times) {
        return check(
                job,
                entry -> entry.outcome() == Outcome.FAILED && failure.getName().equals(entry.reason()),
                times,
                "failed with " + failure.getName());
    }

    /** Verifies that some run, on any instance, ran each tick of the job since the first one on the board, whether it succeeded or not. */
    public JobAssertions missedNoTick(String job) {
        long missed = history(job).stream()
                .filter(entry -> entry.outcome() == Outcome.MISSED)
                .mapToLong(Entry::ticks)
                .sum();
        return check(job, missed == 0, "missed " + missed + " ticks");
    }

    private JobAssertions check(String job, Predicate<Entry> wanted, int times, String what) {
        long was = history(job).stream().filter(wanted).count();
        return check(job, was == times, what + " " + was + " times, not " + times + " times");
    }

    private JobAssertions check(String job, boolean holds, String problem) {
        isNotNull();
        if (!holds) {
            failWithMessage(
                    "Job '%s' %s. Its board, the newest first:%n%s",
                    job, problem, history(job).stream().map(Entry::toString).collect(Collectors.joining("\n")));
        }
        return this;
    }

    private List<Entry> history(String job) {
        List<Job> found = actual.jobs().stream()
                .filter(each -> each.name().equals(job) || each.lock().equals(job))
                .toList();
        if (found.isEmpty()) {
            failWithMessage(
                    "No job '%s' runs once per tick, or it has a key and was not called yet. Known jobs: %s",
                    job, actual.jobs().stream().map(Job::lock).toList());
        }
        return found.stream().flatMap(each -> each.history().stream()).toList();
    }
}

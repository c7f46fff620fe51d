package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.LockPause;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * The actuator endpoint {@code jobs}: the job board and the pauses. To pause, resume and stop jobs, it needs {@code
 * management.endpoint.jobs.access=unrestricted}. {@link EndpointErrors} answers what fails.
 */
@Endpoint(id = "jobs", defaultAccess = Access.READ_ONLY)
record JobsEndpoint(ObjectProvider<JobBoard> board, ObjectProvider<LockPauses> pauses) {

    record JobsReport(List<JobReport> jobs) {}

    /**
     * A job: a method that runs once per tick, or whose lock can be paused.
     *
     * @param pause null if it is not paused
     * @param ticks what happened to its ticks, for each key
     */
    record JobReport(
            String name, boolean pausable, @Nullable LockPause pause, List<JobBoard.Job> ticks) {}

    /** Returns the jobs of this application, by name. */
    @ReadOperation
    @RegisterReflectionForBinding(JobsReport.class)
    public JobsReport jobs() {
        Map<String, List<JobBoard.Job>> ticks = board.stream()
                .flatMap(found -> found.jobs().stream())
                .collect(Collectors.groupingBy(JobBoard.Job::name));
        SortedSet<String> pausable = new TreeSet<>();
        pauses.ifAvailable(found -> pausable.addAll(found.pausable()));
        Map<String, LockPause> paused = pauses.stream()
                .flatMap(found -> found.all().stream())
                .collect(Collectors.toMap(LockPause::name, Function.identity(), (one, other) -> one));
        SortedSet<String> names = new TreeSet<>(pausable);
        names.addAll(ticks.keySet());
        return new JobsReport(names.stream()
                .map(name -> new JobReport(
                        name, pausable.contains(name), paused.get(name), ticks.getOrDefault(name, List.of())))
                .toList());
    }

    /** Returns one job. Answers 404 if there is none of that name. */
    @ReadOperation
    public Object job(@Selector String name) {
        return jobs().jobs().stream()
                .filter(job -> job.name().equals(name))
                .<Object>map(Function.identity())
                .findFirst()
                .orElseGet(() -> EndpointErrors.response(
                        WebEndpointResponse.STATUS_NOT_FOUND,
                        "No job '" + LogText.escape(name)
                                + "'. A job is a method that runs once per tick, or whose lock is pausable"));
    }

    /**
     * Changes a job on all instances.
     *
     * @param action {@code pause}, which needs a duration and a reason, {@code resume}, or {@code stop}, which asks the run that is going on to stop
     */
    @WriteOperation
    public Object change(
            SecurityContext security,
            @Selector String name,
            String action,
            @Nullable String duration,
            @Nullable String reason) {
        String by = EndpointErrors.caller(security);
        return switch (action) {
            case "pause" ->
                required(pauses)
                        .pause(name, LockSettings.duration(given("duration", duration)), by, given("reason", reason));
            case "resume" -> Map.of("name", name, "resumed", required(pauses).resume(name, by));
            case "stop" -> {
                Object job = job(name);
                yield job instanceof JobReport
                        ? Map.of("name", name, "asked", required(board).requestStop(name, by))
                        : job;
            }
            default ->
                throw new IllegalArgumentException(
                        "Unknown action '" + LogText.escape(action) + "'. Known: 'pause', 'resume', 'stop'");
        };
    }

    private static <T> T required(ObjectProvider<T> feature) {
        return feature.getIfAvailable(() -> {
            throw new IllegalArgumentException("This application has no locked methods, or holdfast.enabled is false");
        });
    }

    private static String given(String parameter, @Nullable String value) {
        if (value == null) {
            throw new IllegalArgumentException("Missing: '" + parameter + "'");
        }
        return value;
    }
}

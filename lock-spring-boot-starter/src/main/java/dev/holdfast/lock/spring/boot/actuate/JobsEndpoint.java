package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.LockPause;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    @RegisterReflectionForBinding(JobReport.class)
    public Map<String, List<JobReport>> jobs() {
        return Map.of("jobs", reports(names(), JobBoard::jobs));
    }

    /** Returns one job. Answers 404 if there is none of that name. */
    @ReadOperation
    public Object job(@Selector String name) {
        return names().contains(name)
                ? reports(Set.of(name), found -> found.jobs(name)).get(0)
                : unknown(name);
    }

    private SortedSet<String> names() {
        SortedSet<String> names = pausable();
        board.ifAvailable(found -> names.addAll(found.names()));
        return names;
    }

    private SortedSet<String> pausable() {
        SortedSet<String> pausable = new TreeSet<>();
        pauses.ifAvailable(found -> pausable.addAll(found.pausable()));
        return pausable;
    }

    private List<JobReport> reports(Set<String> names, Function<JobBoard, List<JobBoard.Job>> read) {
        SortedSet<String> pausable = pausable();
        Map<String, LockPause> paused = pauses.stream()
                .flatMap(found -> found.all().stream())
                .collect(Collectors.toMap(LockPause::name, Function.identity(), (one, other) -> one));
        Map<String, List<JobBoard.Job>> ticks = board.stream()
                .flatMap(found -> read.apply(found).stream())
                .collect(Collectors.groupingBy(JobBoard.Job::name));
        return names.stream()
                .map(name -> new JobReport(
                        name, pausable.contains(name), paused.get(name), ticks.getOrDefault(name, List.of())))
                .toList();
    }

    private static Object unknown(String name) {
        return EndpointErrors.response(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "No job '" + LogText.escape(name)
                        + "'. A job is a method that runs once per tick, or whose lock is pausable");
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
            case "stop" ->
                names().contains(name)
                        ? Map.of("name", name, "asked", required(board).requestStop(name, by))
                        : unknown(name);
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

package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.FeatureReport;
import dev.holdfast.lock.spring.declaration.LockAnnotation;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.job.KnownJobs.KnownJob;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.function.SingletonSupplier;

/** The methods of an application that run once for each tick or deployment. What else concerns them shares what this object knows of their ticks. */
@RegisterReflectionForBinding(JobBoard.Job.class)
public final class Jobs implements FeatureReport {

    private final Supplier<LockClient> client;
    private final KnownJobs known = new KnownJobs();
    private final OverdueWatch watch;

    /** Creates the jobs. The client and the pauses are looked up when they are needed, because the jobs are created before most beans. */
    public Jobs(ObjectProvider<LockClient> client, ObjectProvider<LockPauses> pauses) {
        this.client = SingletonSupplier.of(client::getObject);
        this.watch = new OverdueWatch(this.client, known, pauses::getIfAvailable);
    }

    /** Returns what runs a method once, if its annotation says so. */
    public @Nullable LockFeature feature(LockOperation operation) {
        LockAnnotation source = operation.annotation();
        MergedAnnotation<RunOnce> deployment = source.from(RunOnce.class);
        if (deployment != null) {
            return DeploymentRule.of(operation, deployment, known);
        }
        MergedAnnotation<OncePerTick> job = source.from(OncePerTick.class);
        return job == null ? null : TickRule.of(operation, job, known);
    }

    /** Returns what happened to the ticks of the jobs. */
    public JobBoard board(ApplicationEventPublisher events) {
        return new RecordedBoard(client, known, events);
    }

    /** Returns what looks for overdue ticks. */
    public SmartLifecycle watch() {
        return watch;
    }

    /** Returns what cancels scheduled runs that have not begun when the application stops. */
    public static ApplicationListener<ContextClosedEvent> pendingTicks(DeclaredLocks declared) {
        return new PendingTicks(declared);
    }

    /** Shows which ticks are overdue. */
    @Override
    public Map<String, Object> health() {
        List<String> overdue = known.all().stream()
                .sorted(Comparator.comparing(KnownJob::lockName))
                .flatMap(job -> Stream.ofNullable(OverdueWatch.overdue(job))
                        .map(found -> LogText.escape(job.lockName()) + ": " + found.describe()))
                .toList();
        return overdue.isEmpty() ? Map.of() : Map.of("overdue", overdue);
    }

    KnownJobs known() {
        return known;
    }

    OverdueWatch overdue() {
        return watch;
    }
}

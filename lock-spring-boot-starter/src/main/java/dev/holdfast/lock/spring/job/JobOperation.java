package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.KeyExpression;
import dev.holdfast.lock.spring.declaration.LockAnnotation;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * A method that runs only once for each tick or deployment, as its annotation says.
 *
 * @param rule what decides for all calls; of ticks that callers name, what they have in common
 * @param ruleOf what decides for one call
 */
record JobOperation(LockOperation operation, RunRule rule, Function<LockCall, RunRule> ruleOf, KnownJobs jobs)
        implements LockFeature {

    /** Returns null for a method of which every call runs. */
    static @Nullable JobOperation of(LockOperation operation, KnownJobs jobs) {
        LockAnnotation source = operation.annotation();
        MergedAnnotation<RunOnce> deployment = source.from(RunOnce.class);
        if (deployment != null) {
            DeploymentRule rule = new DeploymentRule(per(source, deployment.getString("per")), retries(deployment));
            return new JobOperation(operation, rule, call -> rule, jobs);
        }
        MergedAnnotation<OncePerTick> job = source.from(OncePerTick.class);
        return job == null ? null : ofJob(operation, job, jobs);
    }

    private static JobOperation ofJob(LockOperation operation, MergedAnnotation<OncePerTick> job, KnownJobs jobs) {
        LockAnnotation source = operation.annotation();
        ScheduledTicks schedule =
                new ScheduledTicks(source.method(), text -> source.evaluated(source.resolve("@Scheduled", text)));
        String given = job.getString("tick");
        boolean retries = retries(job);
        if (!given.isEmpty()) {
            schedule.checkHasNone();
            KeyExpression tick = source.expression(given);
            return new JobOperation(
                    operation,
                    new TickRule(new Ticks(List.of()), retries, null),
                    call -> new TickRule(new Ticks(List.of(given(given, tick, call))), retries, null),
                    jobs);
        }
        TickRule rule = new TickRule(schedule.read(), retries, jobs);
        if (operation.key() == null) {
            rule.job(operation.name(), operation);
        }
        return new JobOperation(operation, rule, call -> rule, jobs);
    }

    private static Ticks.Given given(String text, KeyExpression expression, LockCall call) {
        Object value = call.value().apply(expression);
        Ticks.Given tick = Ticks.Given.of(value);
        if (tick == null) {
            throw new IllegalArgumentException(
                    "'tick = " + text + "' of " + call.operation().signature() + " gives '" + value
                            + "', which is not a time. It needs an Instant, a Date, or a date with its time zone");
        }
        return tick;
    }

    private static boolean retries(MergedAnnotation<?> annotation) {
        return annotation.getEnum("onFailure", OnFailure.class) == OnFailure.RETRY;
    }

    private static String per(LockAnnotation source, String given) {
        String per = source.resolve("per", given).strip();
        if (per.isEmpty()) {
            throw source.invalid(
                    "'per = " + given + "' is empty, so every deployment would be the same",
                    "Give it what changes with each deployment, such as a commit or a version: per = \"${git.commit.id}\"");
        }
        if (per.startsWith("@") && per.endsWith("@")) {
            throw source.invalid(
                    "'per' is '" + per + "', which the build has not replaced, so every deployment would be the same",
                    "Let the build filter the file that the property comes from");
        }
        if (per.matches("(?s).*\\s.*")
                || !KeyExpression.isFitForName(per)
                || per.getBytes(StandardCharsets.UTF_8).length > DeploymentRule.LONGEST_PER) {
            throw source.invalid(
                    "'per' is '" + LogText.escape(per) + "'",
                    "Use at most " + DeploymentRule.LONGEST_PER + " bytes without blanks or control characters");
        }
        return per;
    }

    @Override
    public AroundLock around(LockCall call) {
        return new JobCall(ruleOf.apply(call), jobs, call);
    }

    @Override
    public boolean skips() {
        return true;
    }

    @Override
    public String ownsName() {
        return rule.attribute();
    }

    @Override
    public String trait() {
        return DeclaredLock.RUNS_ONCE;
    }

    @Override
    public void check(List<LockOperation> ofMethod, Collection<DeclaredLock> others) {
        LockAnnotation source = operation.annotation();
        if (Boolean.TRUE.equals(operation.settings().bypass())) {
            throw source.invalid(
                    "'bypass' is set for the lock '" + operation.name() + "', so " + rule.attribute()
                            + " would run on every instance",
                    "Remove the setting. To stop the runs for a time, pause the lock: see LockPauses");
        }
        if (ofMethod.size() > 1) {
            throw source.invalid(
                    rule.attribute()
                            + " does not go with other locks of the same method: one that is busy would use the run up",
                    "Take the other lock in the method, or in a method that it calls");
        }
        if (rule.needsWaiters() && !operation.waits()) {
            throw source.invalid(
                    "'onFailure = RETRY' needs instances that wait: the others skip the run while it is going on, and"
                            + " nobody is left when it fails",
                    "Give 'waitTime' the time that a run takes, or leave 'onFailure' out");
        }
        for (DeclaredLock other : others) {
            if (other.traits().contains(DeclaredLock.RUNS_ONCE)
                    && other.name().equals(operation.name())
                    && !other.method().equals(operation.method())) {
                throw source.invalid(
                        rule.attribute() + " needs a name of its own, and the lock '" + operation.name()
                                + "' is also that of " + Declaration.signature(other.method())
                                + ", which would count as its run",
                        "Rename one of them");
            }
        }
    }
}

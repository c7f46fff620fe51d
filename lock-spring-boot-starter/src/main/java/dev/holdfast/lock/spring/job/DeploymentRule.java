package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.EarlierRunFailedException;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.RecordLines;
import dev.holdfast.lock.spring.declaration.KeyExpression;
import dev.holdfast.lock.spring.declaration.LockAnnotation;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.job.JobCall.Claim;
import dev.holdfast.lock.spring.job.JobCall.RunRule;
import dev.holdfast.lock.spring.job.KnownJobs.KnownJob;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/** Runs a method once for each deployment. The record has a line for each of the last deployments, the newest first. */
record DeploymentRule(LockOperation operation, String per, boolean retries, KnownJobs jobs) implements RunRule {

    private static final Log LOG = LogFactory.getLog(DeploymentRule.class);

    /** The longest text that tells deployments apart, in bytes, and the longest name of an instance. Twenty lines must fit into a record. */
    private static final int LONGEST_PER = 100;

    private static final int LONGEST_NAME = 70;

    static DeploymentRule of(LockOperation operation, MergedAnnotation<RunOnce> annotation, KnownJobs jobs) {
        String per = per(operation.annotation(), annotation.getString("per"));
        return new DeploymentRule(operation, per, RunRule.retries(annotation), jobs);
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
                || per.getBytes(StandardCharsets.UTF_8).length > LONGEST_PER) {
            throw source.invalid(
                    "'per' is '" + LogText.escape(per) + "'",
                    "Use at most " + LONGEST_PER + " bytes without blanks or control characters");
        }
        return per;
    }

    @Override
    public AroundLock around(LockCall call) {
        return new JobCall(this, jobs, call);
    }

    @Override
    public String ownsName() {
        return "'@RunOnce'";
    }

    @Override
    public @Nullable KnownJob job(String lockName) {
        return null;
    }

    /** A run that has begun may end while the call waits for the lock, so its line does not decide under the lock. */
    @Override
    public boolean check(JobCall call, Reading now, boolean blocking) {
        boolean hasBegun = begun(call, now).isPresent();
        call.tellHolder(
                blocking,
                holder -> LOG.info(
                        "Waits to find out whether it must run '" + run(call) + "': the lock is held by " + holder));
        return !hasBegun;
    }

    @Override
    public Claim claim(JobCall call, Reading now) {
        Optional<Deployment> begun = begun(call, now);
        if (begun.isPresent() && !isRepeated(begun.get(), call)) {
            throw new EarlierRunFailedException(
                    call.lockName(),
                    "Does not run '" + run(call) + "', which failed, or whose process died, on "
                            + begun.get().where() + ". With 'onFailure = STOP', nobody runs it again: deploy another"
                            + " 'per', or delete the record of the lock");
        }
        RecordLines others = RecordLines.of(now.text()).without(line -> {
            Deployment other = Deployment.in(line);
            return other != null && other.per().equals(per);
        });
        return new Claim(
                null,
                null,
                retries ? null : text(Deployment.BEGAN, call, now, others),
                end -> end.failed() ? null : text(Deployment.RAN, call, now, others),
                LockRecord.MAX_KEEP);
    }

    private String text(String state, JobCall call, Reading now, RecordLines others) {
        Deployment run = new Deployment(state, now.time().toString(), per, call.instance());
        return others.after(Stream.of(run.text())).text();
    }

    /** Returns this deployment's run if it has begun and has no end. */
    private Optional<Deployment> begun(JobCall call, Reading now) {
        Optional<Deployment> own = RecordLines.of(now.text())
                .say(Deployment::in)
                .filter(found -> found.per().equals(per))
                .findFirst();
        if (own.isPresent() && own.get().state().equals(Deployment.RAN)) {
            LOG.info("Does not run '" + run(call) + "', which ran on "
                    + own.get().where());
            throw call.alreadyRan("'" + run(call) + "' has run already");
        }
        return own;
    }

    /** Returns whether the call itself has written the line, in an attempt that has failed. */
    private static boolean isRepeated(Deployment begun, JobCall call) {
        Claim before = call.repeats();
        return before != null
                && RecordLines.of(before.atStart()).say(Deployment::in).anyMatch(begun::equals);
    }

    @Override
    public void began(JobCall call) {
        LOG.info("Runs '" + run(call) + "' on " + LogText.escape(call.instance()));
    }

    @Override
    public void ended(JobCall call, boolean succeeded) {
        if (succeeded) {
            LOG.info("Has run '" + run(call) + "'. The instances that wait for it continue");
        } else {
            LOG.warn("Failed to run '" + run(call) + "'. "
                    + (retries ? "An instance that waits for it tries again" : "Nobody runs it again"));
        }
    }

    /** Returns what runs, without its outer quotation marks. */
    private String run(JobCall call) {
        return LogText.escape(call.lockName()) + "' for '" + LogText.escape(per);
    }

    /**
     * A run: its state, the server's time at which it began, and its instance. A line of the record has these with blanks between them. A later
     * version may add parts after a tab, and lines with another first word.
     */
    private record Deployment(String state, String begun, String per, String instance) {

        static final String BEGAN = "began";
        static final String RAN = "ran";
        private static final Pattern TEXT =
                Pattern.compile("(" + BEGAN + "|" + RAN + ") (\\S+) (\\S+) ([^\\t]+)(?:\\t.*)?");

        /** Returns the run of a line; null if this version cannot have written it. */
        static @Nullable Deployment in(String line) {
            Matcher found = TEXT.matcher(line);
            return found.matches()
                    ? new Deployment(found.group(1), found.group(2), found.group(3), found.group(4))
                    : null;
        }

        String where() {
            return LogText.escape(instance) + " from " + LogText.escape(begun);
        }

        String text() {
            String name = instance.substring(0, Math.min(instance.length(), LONGEST_NAME));
            return state + " " + begun + " " + per + " " + name;
        }
    }
}

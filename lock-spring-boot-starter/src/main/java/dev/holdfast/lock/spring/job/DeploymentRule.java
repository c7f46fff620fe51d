package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.EarlierRunFailedException;
import dev.holdfast.lock.spring.call.RecordLines;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Runs a method once for each deployment. The record has a line for each of the last deployments, the newest first. */
record DeploymentRule(String per, boolean retries) implements RunRule {

    private static final Log LOG = LogFactory.getLog(DeploymentRule.class);

    /** The longest text that tells deployments apart, in bytes, and the longest name of an instance. Twenty lines must fit into a record. */
    static final int LONGEST_PER = 100;

    private static final int LONGEST_NAME = 70;

    @Override
    public String attribute() {
        return "'@RunOnce'";
    }

    /** An instance that starts later repeats it, too. */
    @Override
    public boolean needsWaiters() {
        return false;
    }

    /** A run that has begun may end while the call waits for the lock, so its line does not decide under the lock. */
    @Override
    public boolean check(Look look, Consumer<Consumer<String>> holder) {
        boolean hasBegun = begun(look).isPresent();
        holder.accept(name -> LOG.info(
                "Waits to find out whether it must run '" + run(look.lockName()) + "': the lock is held by " + name));
        return !hasBegun;
    }

    @Override
    public Claim claim(Look look) {
        Optional<Deployment> begun = begun(look);
        if (begun.isPresent() && !isRepeated(begun.get(), look)) {
            throw new EarlierRunFailedException(
                    look.lockName(),
                    "Does not run '" + run(look.lockName()) + "', which failed, or whose process died, on "
                            + begun.get().where() + ". With 'onFailure = STOP', nobody runs it again: deploy another"
                            + " 'per', or delete the record of the lock");
        }
        RecordLines others = RecordLines.of(look.reading().text()).without(line -> {
            Deployment other = Deployment.in(line);
            return other != null && other.per().equals(per);
        });
        return new Claim(
                null,
                null,
                retries ? null : text(Deployment.BEGAN, look, others),
                end -> end.failed() ? null : text(Deployment.RAN, look, others),
                LockRecord.MAX_KEEP);
    }

    private String text(String state, Look look, RecordLines others) {
        Deployment run = new Deployment(state, look.reading().time().toString(), per, look.instance());
        return others.after(Stream.of(run.text())).text();
    }

    /** Returns this deployment's run if it has begun and has no end. */
    private Optional<Deployment> begun(Look look) {
        Optional<Deployment> own = RecordLines.of(look.reading().text())
                .say(Deployment::in)
                .filter(found -> found.per().equals(per))
                .findFirst();
        if (own.isPresent() && own.get().state().equals(Deployment.RAN)) {
            LOG.info("Does not run '" + run(look.lockName()) + "', which ran on "
                    + own.get().where());
            throw new AlreadyRan(look.lockName(), "'" + run(look.lockName()) + "' has run already");
        }
        return own;
    }

    /** Returns whether the call itself has written the line, in an attempt that has failed. */
    private static boolean isRepeated(Deployment begun, Look look) {
        Claim before = look.repeats();
        return before != null
                && RecordLines.of(before.atStart()).say(Deployment::in).anyMatch(begun::equals);
    }

    @Override
    public void began(String lockName, String instance) {
        LOG.info("Runs '" + run(lockName) + "' on " + LogText.escape(instance));
    }

    @Override
    public void ended(String lockName, boolean succeeded) {
        if (succeeded) {
            LOG.info("Has run '" + run(lockName) + "'. The instances that wait for it continue");
        } else {
            LOG.warn("Failed to run '" + run(lockName) + "'. "
                    + (retries ? "An instance that waits for it tries again" : "Nobody runs it again"));
        }
    }

    /** Returns what runs, without its outer quotation marks. */
    private String run(String lockName) {
        return LogText.escape(lockName) + "' for '" + LogText.escape(per);
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

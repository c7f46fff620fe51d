package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.EarlierRunFailedException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Runs a method once for each deployment. The record has a line for each of the last deployments, the newest first. */
record OncePerDeployment(String per, boolean retries) implements Once {

    private static final Log LOG = LogFactory.getLog(OncePerDeployment.class);

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

    @Override
    public Claim claim(Look look) {
        String run = run(look.lockName());
        String known = look.reading().text();
        List<String> lines = known == null
                ? List.of()
                : known.lines().filter(line -> !line.isBlank()).toList();
        Optional<Line> own = lines.stream()
                .flatMap(Line::in)
                .filter(line -> line.per().equals(per))
                .findFirst();
        if (own.isPresent() && own.get().hasRun()) {
            LOG.info("Does not run '" + run + "', which ran on " + own.get().where());
            throw new AlreadyRan(look.lockName(), "'" + run + "' has run already");
        }
        if (!look.underLock()) {
            look.holder()
                    .accept(holder -> LOG.info(
                            "Waits to learn whether it must run '" + run + "': the lock is held by " + holder));
            return Claim.NOTHING;
        }
        if (own.isPresent() && !isRepeated(own.get(), look)) {
            throw new EarlierRunFailedException(
                    look.lockName(),
                    "Does not run '" + run + "', which failed, or whose process died, on "
                            + own.get().where() + ". With 'onFailure = STOP', nobody runs it again: deploy another"
                            + " 'per', or delete the record of the lock");
        }
        String here = look.instance();
        LOG.info("Runs '" + run + "' on " + LogText.escape(here));
        List<String> others = lines.stream()
                .filter(line -> Line.in(line).noneMatch(found -> found.per().equals(per)))
                .toList();
        String begun = look.reading().time().toString();
        String atStart = retries ? null : text(new Line(Line.BEGAN, begun, per, here), others);
        return Claim.ofSuccess(atStart, text(new Line(Line.RAN, begun, per, here), others), LockRecord.MAX_KEEP);
    }

    /** Returns whether the call itself has written the line, in an attempt that has failed. */
    private static boolean isRepeated(Line line, Look look) {
        Claim before = look.repeats();
        return before != null
                && before.atStart() != null
                && before.atStart().lines().flatMap(Line::in).anyMatch(line::equals);
    }

    @Override
    public void ended(String lockName, boolean succeeded) {
        if (succeeded) {
            LOG.info("Has run '" + run(lockName) + "'. The instances that wait for it go on");
        } else {
            LOG.warn("Failed to run '" + run(lockName) + "'. "
                    + (retries ? "An instance that waits for it tries again" : "Nobody runs it again"));
        }
    }

    /** Returns what runs, without its outer quotation marks. */
    private String run(String lockName) {
        return LogText.escape(lockName) + "' for '" + LogText.escape(per);
    }

    /** Returns the newest line and as many earlier ones as a record takes. */
    private static String text(Line newest, List<String> earlier) {
        StringBuilder text = new StringBuilder();
        int bytes = 0;
        for (String line :
                Stream.concat(Stream.of(newest.text()), earlier.stream()).toList()) {
            String next = (text.isEmpty() ? "" : "\n") + line;
            bytes += next.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > LockRecord.MAX_BYTES) {
                break;
            }
            text.append(next);
        }
        return text.toString();
    }

    /**
     * A run: its state, the server's time at which it began, and its instance. A line of the record has these with blanks between them. A later
     * version may add parts after a tab, and lines with another first word. They stay in the record as they are.
     */
    private record Line(String state, String begun, String per, String instance) {

        static final String BEGAN = "began";
        static final String RAN = "ran";
        private static final Pattern TEXT =
                Pattern.compile("(" + BEGAN + "|" + RAN + ") (\\S+) (\\S+) ([^\\t]+)(?:\\t.*)?");

        /** Returns the run of a line; empty if this version cannot have written it. */
        static Stream<Line> in(String text) {
            Matcher found = TEXT.matcher(text);
            return found.matches()
                    ? Stream.of(new Line(found.group(1), found.group(2), found.group(3), found.group(4)))
                    : Stream.empty();
        }

        boolean hasRun() {
            return state.equals(RAN);
        }

        String where() {
            return LogText.escape(instance) + " from " + LogText.escape(begun);
        }

        String text() {
            return state + " " + begun + " " + per + " " + name();
        }

        private String name() {
            return instance.length() <= LONGEST_NAME ? instance : instance.substring(0, LONGEST_NAME);
        }
    }
}

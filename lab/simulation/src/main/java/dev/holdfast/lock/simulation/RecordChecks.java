package dev.holdfast.lock.simulation;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.simulation.Plan.Profile;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Checks the records beside locks: only a lock's holder writes, no text replaces that of a later holder, and a grace restores what Redis has lost. Each
 * text is the writer's token.
 */
final class RecordChecks {

    private static final Duration KEEP = Duration.ofMinutes(5);

    /** Outlives its lock as a record does, so the checks of what is left in Redis leave it out. */
    private static final String VALUE = "holdfast:record:guarded:";

    private final Profile profile;
    private final Checks checks;
    /** For each name, the greatest token whose text is certainly written. */
    private final Map<String, Written> written = new HashMap<>();

    private record Written(long token, Instance by, SimulatedProcess process, long at) {}

    RecordChecks(Profile profile, Checks checks) {
        this.profile = profile;
        this.checks = checks;
    }

    /** Writes as the holder of a lock that has no record. Blocks. */
    void guard(Hold hold) {
        boolean forced = hold.forced;
        try {
            hold.lease.guard().set(VALUE + hold.lock.label(), Long.toString(hold.lease.fencingToken()), KEEP);
            if (forced && profile.isSound()) {
                checks.fail("a holder whose lease is over writes nothing", hold.lock, hold.caller);
            }
        } catch (LeaseLostException lost) {
            // It is checked where the loss is reported.
        }
    }

    /** Writes as a holder does that has read before, at first with another text than the one that is there. Blocks. */
    private void replace(Hold hold, LockRecord record, long token) {
        String before = record.read().text();
        boolean isWritten = record.replace(hold.lease, before + "?", "no", KEEP).isWritten();
        LockRecord.Replacement replaced = record.replace(hold.lease, before, Long.toString(token), KEEP);
        boolean isSame = Objects.equals(replaced.now().text(), before);
        if (profile.isSound() && (isWritten || (!replaced.isWritten() && isSame))) {
            checks.fail("a record is replaced where it says what it said", hold.lock, hold.caller + ": " + replaced);
        }
    }

    /** Writes as the holder, and reads. Blocks. */
    void use(Hold hold, LockRecord record) {
        String name = record.lockName();
        long token = hold.lease.fencingToken();
        boolean hasSuccessor = checks.highestToken(name) > token;
        try {
            if (token % 2 == 0) {
                replace(hold, record, token);
            } else {
                record.write(hold.lease, Long.toString(token), KEEP);
            }
            if (hasSuccessor && profile.isSound()) {
                checks.fail(
                        "a holder whose lease is over writes nothing", hold.lock, hold.caller + " with token " + token);
            }
            if (written(name) < token) {
                written.put(name, new Written(token, hold.instance, hold.process, checks.now()));
            }
        } catch (LeaseLostException lost) {
            // It is checked where the loss is reported.
        }
        long least = written(name);
        String text = record.read().text();
        if (profile.isSound() && (text == null ? 0 : Long.parseLong(text)) < least) {
            checks.fail("a record has the text of its latest writer", hold.lock, "it is " + text + " after " + least);
        }
    }

    private long written(String name) {
        Written latest = written.get(name);
        return latest == null ? 0 : latest.token;
    }

    /** Checks that Redis has the latest texts again when it grants locks, if their writers could reach it for most of the grace. */
    void opened(SimulatedServer server, long graceNanos) {
        written.forEach((name, latest) -> {
            long since = Math.max(server.lostAt, latest.at);
            boolean isTold = latest.by.process == latest.process
                    && checks.trouble.isCalmAndHears(latest.by)
                    && checks.trouble.calmFor(latest.by, since) > graceNanos * 3 / 4;
            Object text = server.look("get", "holdfast:record:{" + name + "}");
            long there = text instanceof String found ? Long.parseLong(found.substring(0, found.indexOf(':'))) : 0;
            if (isTold && there < latest.token) {
                checks.fail(
                        "a record outlives a failover",
                        name + " has " + there + " after " + latest.token + " of " + latest.by.name());
            }
        });
    }
}

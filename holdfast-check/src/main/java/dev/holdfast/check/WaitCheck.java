package dev.holdfast.check;

import java.util.List;

/** Checks that a call returns within its wait time and a command timeout. The time in which a process first connects does not count. */
final class WaitCheck {

    private final long boundNanos;
    private final Quiet quiet;
    private final List<Outage> outages;
    private final Findings findings;

    /** @param outages the faults, for messages */
    WaitCheck(long boundNanos, Quiet quiet, List<Outage> outages, Findings findings) {
        this.boundNanos = boundNanos;
        this.quiet = quiet;
        this.outages = outages;
        this.findings = findings;
    }

    void check(List<Attempt> attempts, Starts starts) {
        for (Attempt attempt : attempts) {
            if (attempt.answeredAt != 0 && starts.of(attempt) < attempt.askedAt) {
                check(attempt, attempt.askedAt - starts.of(attempt));
            }
        }
    }

    private void check(Attempt attempt, long age) {
        long ran = quiet.without(attempt.worker, attempt.askedAt, attempt.answeredAt);
        long over = ran - attempt.waitNanos;
        findings.measured(Rule.WAIT_ENDS, over);
        if (over > boundNanos) {
            long stalled = attempt.answeredAt - attempt.askedAt - ran;
            findings.broken(
                    Rule.WAIT_ENDS,
                    attempt + " " + attempt.ending + " by " + millis(over) + " ms, without " + millis(stalled)
                            + " ms of stalls, " + millis(age) + " ms after the first answer of its process, during "
                            + faults(attempt));
        }
    }

    private List<String> faults(Attempt attempt) {
        return outages.stream()
                .filter(outage -> outage.strikes(attempt.worker)
                        && outage.from() < attempt.answeredAt
                        && outage.until() > attempt.askedAt)
                .map(Outage::fault)
                .toList();
    }

    private static long millis(long nanos) {
        return nanos / 1_000_000;
    }
}

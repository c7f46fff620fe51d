package dev.holdfast.lock.chaos;

import java.util.List;

/** A wait is a budget: the call returns within it and a command timeout. Not checked for the time in which a process connects for the first time. */
final class WaitCheck {

    private final long boundNanos;
    private final Quiet quiet;
    private final Findings findings;

    WaitCheck(long boundNanos, Quiet quiet, Findings findings) {
        this.boundNanos = boundNanos;
        this.quiet = quiet;
        this.findings = findings;
    }

    void check(List<Attempt> attempts, Starts starts) {
        for (Attempt attempt : attempts) {
            if (attempt.answeredAt != 0 && starts.of(attempt) < attempt.askedAt) {
                check(attempt);
            }
        }
    }

    private void check(Attempt attempt) {
        long over = quiet.without(attempt.worker, attempt.askedAt, attempt.answeredAt) - attempt.waitNanos;
        findings.measured(Rule.WAIT_ENDS, over);
        if (over > boundNanos) {
            findings.broken(Rule.WAIT_ENDS, attempt + " " + attempt.ending + " by " + over / 1_000_000 + " ms");
        }
    }
}

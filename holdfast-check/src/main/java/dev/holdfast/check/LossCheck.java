package dev.holdfast.check;

import java.util.List;
import java.util.stream.Collectors;

/** Checks that every loss is reported once and in time. Examines the grants once. */
final class LossCheck {

    private final boolean dataIsLost;
    private final long boundNanos;
    private final Quiet quiet;
    private final Findings findings;

    LossCheck(Terms terms, Quiet quiet, Findings findings) {
        this.dataIsLost = !terms.oneHolder();
        this.boundNanos = terms.lossBoundNanos();
        this.quiet = quiet;
        this.findings = findings;
    }

    void check(List<Attempt> grants) {
        grants.forEach(this::check);
    }

    private void check(Attempt attempt) {
        boolean lost = attempt.ending == Ending.LOST;
        int reports = attempt.lostAt.size();
        boolean unknown = attempt.ending == Ending.UNKNOWN || mayBeLostLater(attempt);
        if (unknown ? reports > 1 : reports != (lost ? 1 : 0)) {
            String times = attempt.lostAt.stream()
                    .map(at -> (at - attempt.releaseAt) / 1_000 + " µs after its release began")
                    .collect(Collectors.joining(", "));
            findings.broken(
                    Rule.LOSS_ONCE,
                    attempt + " ended " + attempt.ending + " after " + (attempt.releasedAt - attempt.releaseAt) / 1_000
                            + " µs, reported " + reports + " times: " + times);
        }
        if (lost && reports == 1 && attempt.goneAt != 0) {
            long late = quiet.without(attempt.worker, attempt.goneAt, attempt.lostAt.get(0));
            findings.measured(Rule.LOSS_IN_TIME, late);
            if (late > boundNanos) {
                findings.broken(Rule.LOSS_IN_TIME, attempt + " after " + late / 1_000_000 + " ms");
            }
        }
    }

    /**
     * Returns whether a loss may be reported after a good release. A release that Redis does not answer in time ends as if it had succeeded. If Redis
     * loses locks, its late answer may say that this one was lost.
     */
    private boolean mayBeLostLater(Attempt attempt) {
        return dataIsLost
                && attempt.ending == Ending.RELEASED
                && attempt.releasedAt - attempt.releaseAt >= Terms.COMMAND_TIMEOUT.toNanos();
    }
}

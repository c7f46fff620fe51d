package dev.holdfast.lock.chaos;

import java.util.List;
import java.util.stream.Collectors;

/** Every loss is reported once and in time. One pass over the grants. */
final class LossCheck {

    private final long boundNanos;
    private final Quiet quiet;
    private final Findings findings;

    /** @param boundNanos how much later than its first refusal a lease may report its loss */
    LossCheck(long boundNanos, Quiet quiet, Findings findings) {
        this.boundNanos = boundNanos;
        this.quiet = quiet;
        this.findings = findings;
    }

    void check(List<Attempt> grants) {
        grants.forEach(this::check);
    }

    private void check(Attempt attempt) {
        boolean lost = attempt.ending == Ending.LOST;
        int reports = attempt.lostAt.size();
        if (attempt.ending == Ending.UNKNOWN ? reports > 1 : reports != (lost ? 1 : 0)) {
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
}

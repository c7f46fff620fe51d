package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.job.TickRecord.Gap;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A job whose tick should have begun and has not.
 *
 * @param since the first such tick
 * @param now the server's time
 * @param missed these ticks, the newest first, and why, as far as this instance knows
 */
record Overdue(Instant since, Instant now, List<Gap> missed) {

    Duration time() {
        return Duration.between(since, now);
    }

    String describe() {
        Gap first = missed.get(missed.size() - 1);
        return "the tick of " + since + " has not begun, " + LogText.time(Duration.ofSeconds(time().toSeconds()))
                + " later (" + first.reason() + ")";
    }
}

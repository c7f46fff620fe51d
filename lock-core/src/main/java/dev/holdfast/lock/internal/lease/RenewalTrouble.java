package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LogText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The failures of a lease's renewals since the last confirmation. */
record RenewalTrouble(int failures, Throwable last) {

    static RenewalTrouble after(@Nullable RenewalTrouble before, Throwable problem) {
        return new RenewalTrouble(before == null ? 1 : before.failures + 1, problem);
    }

    /**
     * Why no renewal was confirmed in time: this process did not run, or Redis did not answer. The log says which.
     *
     * @param trouble null if no renewal has failed
     * @param pauseNanos the longest time in which this process did not run
     */
    static String whyUnconfirmed(@Nullable RenewalTrouble trouble, long pauseNanos, long leaseNanos) {
        // A shorter pause alone cannot cost it: the renewal that is due at a third would still come in time.
        if (pauseNanos > leaseNanos / 2) {
            return "no renewal was confirmed in time: this process stood still, or had no processor, for "
                    + LogText.time(Duration.ofNanos(pauseNanos));
        }
        return "no renewal was confirmed in time: Redis "
                + (trouble == null
                        ? "has not answered the last one"
                        : "failed " + trouble.failures + ", the last with: " + trouble.last.getMessage());
    }
}

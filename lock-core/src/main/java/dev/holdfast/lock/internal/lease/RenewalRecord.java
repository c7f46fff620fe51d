package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LogText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What is known of a lease's renewals: how late they are, and why none was confirmed in time. */
final class RenewalRecord {

    /** The failures since the last confirmation. */
    private record Trouble(int failures, Throwable last) {}

    private final Grant grant;
    private final Ticker ticker;
    private volatile @Nullable Trouble trouble;

    RenewalRecord(Grant grant, Ticker ticker) {
        this.grant = grant;
        this.ticker = ticker;
    }

    /** Notes a failed renewal. Reports for one lease come one at a time. */
    void failed(Throwable problem) {
        Trouble before = trouble;
        trouble = new Trouble(before == null ? 1 : before.failures() + 1, problem);
    }

    void confirmed() {
        if (trouble != null) {
            trouble = null;
        }
    }

    /**
     * How late the renewal is that should have been confirmed by now; zero in good order. One is due at each third of the lease and has a third
     * of that time for the round trip.
     *
     * @param leaseNanos the lease that each renewal asks for
     */
    long lag(long leaseNanos) {
        long third = leaseNanos / 3;
        long overdue = ticker.now() - grant.confirmedAt() - third;
        return overdue > third / 3 ? overdue : 0;
    }

    /**
     * Why no renewal was confirmed in time: this process did not run, or Redis did not answer. The log says which.
     *
     * @param pauseNanos the longest time in which this process did not run
     */
    String whyUnconfirmed(long pauseNanos, long leaseNanos) {
        // A shorter pause alone cannot cost it: the renewal that is due at a third would still come in time.
        if (pauseNanos > leaseNanos / 2) {
            return "no renewal was confirmed in time: this process stood still, or had no processor, for "
                    + LogText.time(Duration.ofNanos(pauseNanos));
        }
        Trouble failed = trouble;
        return "no renewal was confirmed in time: Redis "
                + (failed == null
                        ? "has not answered the last one"
                        : "failed " + failed.failures() + ", the last with: "
                                + failed.last().getMessage());
    }
}

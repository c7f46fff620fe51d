package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LogText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What is known of a grant's renewals by its present holder: for whoever asks how they are, or is told that the lease was lost. */
final class RenewalRecord {

    /** What went wrong since the last that was confirmed. */
    private record Trouble(int failures, Throwable last) {}

    private final Grant grant;
    private final Ticker ticker;
    private volatile @Nullable Trouble trouble;

    RenewalRecord(Grant grant, Ticker ticker) {
        this.grant = grant;
        this.ticker = ticker;
    }

    /** Takes in that one failed. Only the watchdog calls, one report at a time for each lease. */
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
     * How late the renewal is that should have been confirmed by now: one comes at each third of the lease, and has a third of that time to
     * go there and back.
     *
     * @param leaseNanos the lease that each renewal asks for
     * @return nanoseconds; zero in good order
     */
    long lag(long leaseNanos) {
        long third = leaseNanos / 3;
        long overdue = ticker.now() - grant.confirmedAt() - third;
        return overdue > third / 3 ? overdue : 0;
    }

    /**
     * Why no renewal was confirmed in time: this process did not run, or Redis did not answer. Whoever reads the log wants to know which.
     *
     * @param stoodStill the longest time that this process did nothing meanwhile
     * @param leaseNanos the lease that was asked for
     */
    String whyUnconfirmed(long stoodStill, long leaseNanos) {
        // A shorter pause alone cannot cost it: the renewal that is due at a third would still come in time.
        if (stoodStill > leaseNanos / 2) {
            return "no renewal was confirmed in time: this process stood still, or had no processor, for "
                    + LogText.time(Duration.ofNanos(stoodStill));
        }
        Trouble failed = trouble;
        return "no renewal was confirmed in time: Redis "
                + (failed == null
                        ? "has not answered the last one"
                        : "failed " + failed.failures() + ", the last with: "
                                + failed.last().getMessage());
    }
}

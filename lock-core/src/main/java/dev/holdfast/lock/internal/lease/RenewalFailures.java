package dev.holdfast.lock.internal.lease;

import org.jspecify.annotations.Nullable;

/**
 * The renewals of a lease that have failed since the last confirmation.
 *
 * @param count their number
 * @param last the problem of the last one
 */
record RenewalFailures(int count, Throwable last) {

    static RenewalFailures add(@Nullable RenewalFailures before, Throwable problem) {
        return new RenewalFailures(before == null ? 1 : before.count + 1, problem);
    }

    @Override
    public String toString() {
        return "Redis failed " + count + ", the last with: " + last.getMessage();
    }
}

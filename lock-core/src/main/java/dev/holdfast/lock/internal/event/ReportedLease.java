package dev.holdfast.lock.internal.event;

import dev.holdfast.lock.LockKind;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What events and log lines say of a lease. */
public interface ReportedLease {

    String lockName();

    LockKind kind();

    long fencingToken();

    Duration held();

    Duration remaining();

    /** The owner id. */
    String owner();

    /** The acquiring thread. */
    Thread thread();

    /** Where it acquired; null unless recorded. */
    @Nullable
    AcquisitionSite site();
}

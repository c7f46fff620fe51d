package dev.holdfast.lock.internal.event;

import dev.holdfast.lock.LockKind;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The details of a lease that events and log lines contain. */
public interface ReportedLease {

    String lockName();

    LockKind kind();

    long fencingToken();

    Duration held();

    Duration remaining();

    /** Returns the owner id. */
    String owner();

    /** Returns where the lease was acquired, or null if that was not recorded. */
    @Nullable
    AcquisitionSite site();
}

package dev.holdfast.lock.explore;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.internal.event.ReportedLease;
import org.jspecify.annotations.Nullable;

/** A lease that a caller was given, until it is released or lost. */
final class Hold {

    final Caller caller;
    final Scenario.Use use;
    final Lease lease;
    /** Whether Redis was told to forget the lock since the grant. The holder does not know it yet. */
    boolean forgotten;
    /** The first renewal that Redis has run since then. Its answer tells the holder. */
    Wire.@Nullable Request<?> told;

    Hold(Caller caller, Scenario.Use use, Lease lease) {
        this.caller = caller;
        this.use = use;
        this.lease = lease;
    }

    /** Returns whether the holder relies on the lease. */
    boolean isBelieved() {
        return !caller.process.dead && lease.isHeld();
    }

    String owner() {
        return ((ReportedLease) lease).owner();
    }
}

package dev.holdfast.lock.chaos;

import dev.holdfast.check.Outage;
import dev.holdfast.check.Terms;
import dev.holdfast.lock.testing.RedisServer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Failovers that an operator requests. With the option {@code planned}, a run has no other faults, and nothing excuses a wait. */
enum Planned {
    /** {@code SENTINEL FAILOVER}, {@code CLUSTER FAILOVER}. */
    REQUESTED(Outage.REQUESTED),
    /** {@code SENTINEL FAILOVER … COORDINATED}, and the end of a master of a cluster that hands its slots over. For both, it takes Valkey 9. */
    COORDINATED(Outage.COORDINATED);

    /** The kind that the option names. */
    static final @Nullable Planned PRESENT = of(System.getProperty("planned", ""));

    /** The time after a failover in which nothing fails: longer than a grace. */
    static final int PAUSE_MILLIS = 500 + (int) Terms.grace().toMillis();

    private final String fault;

    Planned(String fault) {
        this.fault = fault;
    }

    private static @Nullable Planned of(String name) {
        return name.isEmpty() ? null : valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** Returns a failover of the master that begins now. */
    Outage of(RedisServer master) {
        if (this == COORDINATED && !master.isValkey9()) {
            throw new IllegalStateException("Coordinated failovers need Valkey 9, and this is " + master);
        }
        long now = System.nanoTime();
        return new Outage(fault, Outage.ALL, now, now);
    }
}

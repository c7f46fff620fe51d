package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.spring.interceptor.LockCall;
import io.micrometer.core.instrument.Tags;

/** The names of all meters, as docs/metrics.md lists them. None has the evaluated key among its tags: there are too many of those. */
final class LockMeters {

    /** Timer: how long annotated calls asked for their lock, by outcome. */
    static final String ACQUIRE = LockObservations.ACQUIRE;
    /** Timer: how long annotated calls had their lock. */
    static final String HOLD = LockObservations.HOLD;
    /** Counter: leases that annotated calls lost. */
    static final String HOLD_LOST = "holdfast.lock.hold.lost";

    /** Counter: what asking for a lock came to, all callers of the client. */
    static final String ACQUISITIONS = "holdfast.lock.acquisitions";
    /** Gauge: leases held. */
    static final String HELD = "holdfast.lock.held";
    /** Gauge: callers waiting. */
    static final String WAITING = "holdfast.lock.waiting";
    /** Counter: leases that ended before they were released. */
    static final String LOSSES = "holdfast.lock.losses";
    /** Counter: renewals, by outcome. */
    static final String RENEWALS = "holdfast.lock.renewals";
    /** Gauge: how late the most overdue renewal is. */
    static final String RENEWAL_LAG = "holdfast.lock.renewal.lag";
    /** Counter: leases passed on inside this client. */
    static final String HAND_OFFS = "holdfast.lock.handoffs";
    /** Counter: times that a waiting client asked again, by what woke it. */
    static final String WAKE_UPS = "holdfast.lock.wakeups";
    /** Counter: acquisitions without an answer that were taken back. */
    static final String TAKE_BACKS = "holdfast.lock.takebacks";

    private LockMeters() {}

    /** The tags of all meters of a call. */
    static Tags tags(LockCall call) {
        return Tags.of("name", call.declaredName(), "kind", call.kind().name());
    }
}

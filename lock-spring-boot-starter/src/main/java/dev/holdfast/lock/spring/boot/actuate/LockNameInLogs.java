package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.spring.LockObservationContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Puts the lock's name into the mapped diagnostic context of each thread on which the hold is the current observation, so that log lines show
 * it.
 */
public final class LockNameInLogs implements ObservationHandler<LockObservationContext> {

    /** Shared by all handlers: scopes close in the reverse order of opening. */
    private static final ThreadLocal<@Nullable Outer> OUTER = new ThreadLocal<>();

    private final String mdcKey;

    /** Creates the handler for a key of the mapped diagnostic context. */
    public LockNameInLogs(String mdcKey) {
        this.mdcKey = mdcKey;
    }

    /** What the key had before a scope opened. */
    private record Outer(@Nullable String value, @Nullable Outer next) {}

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LockObservationContext;
    }

    @Override
    public void onScopeOpened(LockObservationContext context) {
        OUTER.set(new Outer(MDC.get(mdcKey), OUTER.get()));
        MDC.put(mdcKey, String.join(", ", context.lockNames()));
    }

    @Override
    public void onScopeClosed(LockObservationContext context) {
        Outer before = OUTER.get();
        if (before == null || before.next() == null) {
            OUTER.remove();
        } else {
            OUTER.set(before.next());
        }
        if (before == null || before.value() == null) {
            MDC.remove(mdcKey);
        } else {
            MDC.put(mdcKey, before.value());
        }
    }
}

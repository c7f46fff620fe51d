package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.interceptor.LockOperation.LockRequest;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The observations of one lock of one call: first acquiring it, then holding it. What an observation handler throws is logged and never costs a
 * lock.
 */
final class LockObservation {

    static final LockObservation NONE = new LockObservation();

    private static final Log LOG = LogFactory.getLog(LockObservations.class);
    private static final RateLimitedLog WARNINGS = new RateLimitedLog(LOG);

    private final ObservationRegistry registry;
    private final @Nullable LockRequest request;
    private final @Nullable Observation parent;
    private final Observation acquire;
    private volatile Observation hold = Observation.NOOP;
    private boolean lost;
    private boolean released;

    private LockObservation() {
        this.registry = ObservationRegistry.NOOP;
        this.request = null;
        this.parent = null;
        this.acquire = Observation.NOOP;
    }

    LockObservation(ObservationRegistry registry, LockRequest request, @Nullable Observation around) {
        this.registry = registry;
        this.request = request;
        this.parent = around == null ? registry.getCurrentObservation() : around;
        this.acquire = started(LockObservations.ACQUIRE, "acquire", request, "");
    }

    /** The call acquired the lock. */
    void acquired(long fencingToken) {
        if (request != null) {
            refused("acquired");
            hold = started(LockObservations.HOLD, "hold", request, Long.toString(fencingToken));
        }
    }

    private Observation started(String name, String verb, LockRequest asked, String token) {
        try {
            Observation observation = LockObservations.create(registry, name, verb, asked, parent);
            if (!token.isEmpty()) {
                observation.highCardinalityKeyValue("token", token);
            }
            // Returned even if one handler fails: the others have started and need their end.
            guarded(observation::start);
            return observation;
        } catch (RuntimeException | Error e) {
            failed("create an observation", e);
            return Observation.NOOP;
        }
    }

    /** The outcome of acquiring is known. */
    void refused(String outcome) {
        guarded(() -> acquire.lowCardinalityKeyValue("outcome", outcome).stop());
    }

    /** The call gave up: it was interrupted, canceled or rejected. */
    void failed(Throwable failure) {
        guarded(() -> acquire.error(failure));
        refused("failed");
    }

    /** Makes the hold the current observation of this thread until closed. */
    LockContext.Scope openScope() {
        if (hold.isNoop()) {
            return () -> {};
        }
        Observation.@Nullable Scope before = registry.getCurrentObservationScope();
        try {
            Observation.Scope scope = hold.openScope();
            return () -> {
                guarded(scope::close);
                registry.setCurrentObservationScope(before);
            };
        } catch (RuntimeException | Error e) {
            failed("open a scope", e);
            registry.setCurrentObservationScope(before);
            return () -> {};
        }
    }

    /** The observation of the hold, for a body that continues on other threads. */
    @Nullable
    Observation hold() {
        return hold.isNoop() ? null : hold;
    }

    /** The lease ended before it was released. Reported by the lease and by the release, whichever comes first. */
    synchronized void lost(LeaseLoss loss) {
        if (!lost && !released) {
            lost = true;
            guarded(() -> hold.lowCardinalityKeyValue("lost", LockObservations.lowerCase(loss.cause()))
                    .error(new LeaseLostException(loss)));
        }
    }

    /** The lock is released. */
    synchronized void released() {
        if (!released) {
            released = true;
            if (!lost) {
                guarded(() -> hold.lowCardinalityKeyValue("lost", "no"));
            }
            guarded(hold::stop);
        }
    }

    private static void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            failed("report an observation", e);
        }
    }

    private static void failed(String step, Throwable failure) {
        WARNINGS.warn("Failed to " + step + " of a lock, which does not affect the lock: " + failure);
        LOG.debug("Failed to " + step, failure);
    }
}

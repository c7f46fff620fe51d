package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.LockObservationContext;
import dev.holdfast.lock.spring.interceptor.LockOperation.LockRequest;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Observes annotated calls with two observations: acquiring a lock, and holding it. Timers, traces and lock names in log lines come from them. */
public final class LockObservations {

    /** The name of the observation of acquiring a lock. The observation ends when the outcome is known. */
    public static final String ACQUIRE = "holdfast.lock.acquire";
    /** The name of the observation of holding a lock. The observation ends when the lock is released. */
    public static final String HOLD = "holdfast.lock.hold";

    private final ObservationRegistry registry;

    /** Creates an instance whose registry receives the observations. */
    public LockObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    LockObservation start(LockRequest request, @Nullable Observation parent) {
        return registry.isNoop() ? LockObservation.NONE : new LockObservation(registry, request, parent);
    }

    /** Observes one lock of one call: its acquisition, and then its hold. An exception from a handler is logged and does not affect the lock. */
    static final class LockObservation {
        static final LockObservation NONE = new LockObservation(ObservationRegistry.NOOP, null, null);
        private static final Log LOG = LogFactory.getLog(LockObservations.class);
        private static final RateLimitedLog WARNINGS = new RateLimitedLog(LOG);

        private final ObservationRegistry registry;
        private final @Nullable LockRequest request;
        private final @Nullable Observation parent;
        private final Observation acquire;
        private volatile Observation hold = Observation.NOOP;
        private boolean lost;
        private boolean released;

        LockObservation(ObservationRegistry registry, @Nullable LockRequest request, @Nullable Observation around) {
            this.registry = registry;
            this.request = request;
            this.parent = around == null ? registry.getCurrentObservation() : around;
            this.acquire = started(ACQUIRE, "acquire", null);
        }

        void acquired(long fencingToken) {
            refused("acquired");
            hold = started(HOLD, "hold", Long.toString(fencingToken));
        }

        private Observation started(String name, String verb, @Nullable String token) {
            if (request == null) {
                return Observation.NOOP;
            }
            try {
                LockOperation operation = request.operation();
                LockObservationContext context = new LockObservationContext(
                        operation.method(), operation.name(), request.names(), operation.kind());
                Observation observation = Observation.createNotStarted(name, () -> context, registry)
                        .contextualName(verb + " " + operation.name())
                        .lowCardinalityKeyValue("name", operation.name())
                        .lowCardinalityKeyValue("kind", lowerCase(operation.kind()));
                String key = context.key();
                if (key != null) {
                    observation.highCardinalityKeyValue("key", key);
                }
                if (token != null) {
                    observation.highCardinalityKeyValue("token", token);
                }
                if (parent != null) {
                    observation.parentObservation(parent);
                }
                // The observation is returned even if one handler fails, because the other handlers have started and
                // must be stopped.
                guarded(observation::start);
                return observation;
            } catch (RuntimeException | Error e) {
                failed("create an observation", e);
                return Observation.NOOP;
            }
        }

        private static String lowerCase(Enum<?> value) {
            return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        void refused(String outcome) {
            guarded(() -> acquire.lowCardinalityKeyValue("outcome", outcome).stop());
        }

        void failed(Throwable failure) {
            guarded(() -> acquire.error(failure));
            refused("failed");
        }

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

        @Nullable
        Observation hold() {
            return hold.isNoop() ? null : hold;
        }

        /** Records that the lease ended before its release. The lease and the release both report this; the first report counts. */
        synchronized void lost(LeaseLoss loss) {
            if (!lost && !released) {
                lost = true;
                guarded(() -> hold.lowCardinalityKeyValue("lost", lowerCase(loss.cause()))
                        .error(new LeaseLostException(loss)));
            }
        }

        synchronized void released() {
            if (!released) {
                released = true;
                guarded(() -> (lost ? hold : hold.lowCardinalityKeyValue("lost", "no")).stop());
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
}

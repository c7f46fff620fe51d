package dev.holdfast.lock.spring.observe;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.LockObservationContext;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.call.RateLimitedLog;
import dev.holdfast.lock.spring.call.Refusal;
import dev.holdfast.lock.spring.declaration.LockOperation;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

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

    /** Without a parent in the caller's reactive context, the thread's current observation is the parent. */
    @Nullable
    AroundLock around(LockCall call) {
        if (registry.isNoop()) {
            return null;
        }
        Object parent = call.context() == null ? null : Subscriber.observationIn(call.context());
        return new LockObservation(
                registry, call, parent instanceof Observation around ? around : registry.getCurrentObservation());
    }

    /** Observes the calls of all locks. The observations are looked up at the first call, because the feature is created before most beans. */
    public static Function<LockOperation, LockFeature> feature(Supplier<LockObservations> observations) {
        LockFeature observed = call -> observations.get().around(call);
        return operation -> observed;
    }

    /** A separate class, because Reactor is an optional library. */
    private static final class Subscriber {
        static @Nullable Object observationIn(Object context) {
            return ((ContextView) context).getOrDefault(ObservationThreadLocalAccessor.KEY, null);
        }
    }

    /** Observes one lock of one call: its acquisition, and then its hold. An exception from a handler is logged and does not affect the lock. */
    private static final class LockObservation implements AroundLock {
        private static final Log LOG = LogFactory.getLog(LockObservations.class);
        private static final RateLimitedLog WARNINGS = new RateLimitedLog(LOG);

        private final ObservationRegistry registry;
        private final LockCall call;
        private final @Nullable Observation parent;
        private final Observation acquire;
        private volatile Observation hold = Observation.NOOP;
        private boolean lost;
        private boolean released;

        LockObservation(ObservationRegistry registry, LockCall call, @Nullable Observation parent) {
            this.registry = registry;
            this.call = call;
            this.parent = parent;
            this.acquire = started(ACQUIRE, "acquire", null);
        }

        @Override
        public void acquired(Lease lease) {
            ended("acquired");
            hold = started(HOLD, "hold", Long.toString(lease.fencingToken()));
            lease.onLost(this::lost);
        }

        private Observation started(String name, String verb, @Nullable String token) {
            try {
                LockOperation operation = call.operation();
                LockObservationContext context = new LockObservationContext(
                        operation.method(), operation.name(), call.names(), operation.kind());
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
                report("create an observation", e);
                return Observation.NOOP;
            }
        }

        private static String lowerCase(Enum<?> value) {
            return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        private void ended(String outcome) {
            guarded(() -> acquire.lowCardinalityKeyValue("outcome", outcome).stop());
        }

        @Override
        public void refused(Refusal refusal) {
            ended(refusal.outcome());
        }

        @Override
        public void failed(Throwable failure) {
            guarded(() -> acquire.error(failure));
            ended("failed");
        }

        @Override
        public LockContext.Scope enter() {
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
                report("open a scope", e);
                registry.setCurrentObservationScope(before);
                return () -> {};
            }
        }

        @Override
        public void carry(BiConsumer<Object, Object> context) {
            if (!hold.isNoop()) {
                context.accept(ObservationThreadLocalAccessor.KEY, hold);
            }
        }

        /** The lease and the release both report a loss; the first report counts. */
        @Override
        public synchronized void lost(LeaseLoss loss) {
            if (!lost && !released) {
                lost = true;
                guarded(() -> hold.lowCardinalityKeyValue("lost", lowerCase(loss.cause()))
                        .error(new LeaseLostException(loss)));
            }
        }

        @Override
        public synchronized void released() {
            if (!released) {
                released = true;
                guarded(() -> (lost ? hold : hold.lowCardinalityKeyValue("lost", "no")).stop());
            }
        }

        private static void guarded(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                report("report an observation", e);
            }
        }

        private static void report(String step, Throwable failure) {
            WARNINGS.warn("Failed to " + step + " of a lock, which does not affect the lock: " + failure);
            LOG.debug("Failed to " + step, failure);
        }
    }
}

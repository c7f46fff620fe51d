package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.spring.interceptor.LockCall;
import dev.holdfast.lock.spring.interceptor.LockCallListener;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Observes annotated calls: the asking for a lock is one observation, and having it is another, in which the body runs. A call that re-enters a
 * lock that the calls around it have is part of theirs.
 */
public final class LockObservations implements LockCallListener {

    /** Asking, from the first question to what came of it. */
    public static final String ACQUIRE = "holdfast.lock.acquire";
    /** Having the lock, until the body is done with it. */
    public static final String HOLD = "holdfast.lock.hold";

    private final ObservationRegistry registry;

    /**
     * Creates the listener.
     *
     * @param registry where the observations go
     */
    public LockObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Progress onCall(LockCall call) {
        return call.reentered() || registry.isNoop() ? Progress.NONE : new ObservedCall(this, call);
    }

    /**
     * Makes an observation.
     *
     * @param name what is observed
     * @param verb what it is called among the spans of a trace
     * @param parent what it is part of, if anything
     */
    Observation create(String name, String verb, LockCall call, @Nullable Observation parent) {
        Observation observation = Observation.createNotStarted(name, () -> new LockObservationContext(call), registry)
                .contextualName(verb + " " + call.declaredName())
                .lowCardinalityKeyValue("name", call.declaredName())
                .lowCardinalityKeyValue("kind", call.kind().name());
        String key = call.key();
        if (key != null) {
            observation.highCardinalityKeyValue("key", key);
        }
        return parent == null ? observation : observation.parentObservation(parent);
    }

    /** The observation that the call is part of: a subscriber's travels with it, any other's is its thread's. */
    @Nullable
    Observation around(LockCall call) {
        Object carried = call.carried().get(ObservationThreadLocalAccessor.KEY);
        return carried instanceof Observation observation ? observation : registry.getCurrentObservation();
    }
}

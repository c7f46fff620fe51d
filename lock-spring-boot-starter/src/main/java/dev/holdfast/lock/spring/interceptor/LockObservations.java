package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.LockObservationContext;
import dev.holdfast.lock.spring.interceptor.LockOperation.LockRequest;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/**
 * Observes annotated calls. Acquiring a lock is one observation, holding it is another. Timers, traces and the lock's name in log lines all come
 * from these two.
 */
public final class LockObservations {

    /** The observation of acquiring a lock. It ends when the outcome is known. */
    public static final String ACQUIRE = "holdfast.lock.acquire";
    /** The observation of holding a lock. It ends when the lock is released. */
    public static final String HOLD = "holdfast.lock.hold";

    private final Supplier<ObservationRegistry> registry;

    /**
     * Creates an instance for a registry.
     *
     * @param registry receives the observations
     */
    public LockObservations(ObservationRegistry registry) {
        this(() -> registry);
    }

    private LockObservations(Supplier<ObservationRegistry> registry) {
        this.registry = registry;
    }

    /** Looks the bean up at the first call: the interceptor is created before most beans are. */
    static LockObservations lazily(Supplier<@Nullable LockObservations> bean) {
        return new LockObservations(SingletonSupplier.of(() -> {
            LockObservations found = bean.get();
            return found == null ? ObservationRegistry.NOOP : found.registry.get();
        }));
    }

    /**
     * Starts the observation of a call that acquires a lock.
     *
     * @param parent the observation around the call; null for the current one of this thread
     */
    LockObservation start(LockRequest request, @Nullable Observation parent) {
        ObservationRegistry observed = registry.get();
        return observed.isNoop() ? LockObservation.NONE : new LockObservation(observed, request, parent);
    }

    /** Creates an observation that has not started. */
    static Observation create(
            ObservationRegistry registry, String name, String verb, LockRequest request, @Nullable Observation parent) {
        LockOperation operation = request.operation();
        LockObservationContext context =
                new LockObservationContext(operation.method(), operation.name(), request.names(), operation.kind());
        Observation observation = Observation.createNotStarted(name, () -> context, registry)
                .contextualName(verb + " " + operation.name())
                .lowCardinalityKeyValue("name", operation.name())
                .lowCardinalityKeyValue("kind", lowerCase(operation.kind()));
        String key = context.key();
        if (key != null) {
            observation.highCardinalityKeyValue("key", key);
        }
        return parent == null ? observation : observation.parentObservation(parent);
    }

    static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

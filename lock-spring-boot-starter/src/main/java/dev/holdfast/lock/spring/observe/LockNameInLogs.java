package dev.holdfast.lock.spring.observe;

import dev.holdfast.lock.spring.LockObservationContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.slf4j.MDC;

/** Puts the lock's name under an MDC key on each thread on which the hold is the current observation. */
record LockNameInLogs(String mdcKey) implements ObservationHandler<LockObservationContext> {

    /** The previous values of the key. All handlers share them, because scopes are closed in the reverse order of opening. */
    private static final ThreadLocal<Deque<Optional<String>>> OUTER = ThreadLocal.withInitial(ArrayDeque::new);

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LockObservationContext;
    }

    @Override
    public void onScopeOpened(LockObservationContext context) {
        OUTER.get().push(Optional.ofNullable(MDC.get(mdcKey)));
        MDC.put(mdcKey, String.join(", ", context.lockNames()));
    }

    @Override
    public void onScopeClosed(LockObservationContext context) {
        Deque<Optional<String>> outer = OUTER.get();
        Optional<String> before = outer.isEmpty() ? Optional.empty() : outer.pop();
        if (outer.isEmpty()) {
            OUTER.remove();
        }
        before.ifPresentOrElse(value -> MDC.put(mdcKey, value), () -> MDC.remove(mdcKey));
    }
}

package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.spring.interceptor.LockCall;
import io.micrometer.observation.Observation;

/** What an observation of a lock is about, for conventions, predicates and filters of one's own. */
public final class LockObservationContext extends Observation.Context {

    private final LockCall call;

    LockObservationContext(LockCall call) {
        this.call = call;
    }

    /**
     * The call that asks for the lock, or has it.
     *
     * @return the call
     */
    public LockCall call() {
        return call;
    }
}

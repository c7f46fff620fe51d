package dev.holdfast.lock.spring.interceptor;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * Where a call comes from.
 *
 * @param holds the locks that the code around it has
 * @param observation the observation in the subscriber's Reactor context; null where the thread has the current one
 */
record Surroundings(Holds holds, @Nullable Observation observation) {

    /** Those of a call that runs on the thread that makes it. */
    static Surroundings here() {
        return new Surroundings(Holds.here(), null);
    }

    /** The same with what the call has got by now. */
    Surroundings and(Admission admission) {
        return new Surroundings(admission.over(holds), observation);
    }
}

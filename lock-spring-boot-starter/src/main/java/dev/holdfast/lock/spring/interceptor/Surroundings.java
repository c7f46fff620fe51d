package dev.holdfast.lock.spring.interceptor;

import java.util.Map;

/**
 * Where a call comes from.
 *
 * @param holds the locks that the code around it has
 * @param carried what travels with it beside its thread: the subscriber's Reactor context
 */
record Surroundings(Holds holds, Map<Object, Object> carried) {

    /** Those of a call that runs on the thread that makes it. */
    static Surroundings here() {
        return new Surroundings(Holds.here(), Map.of());
    }

    /** The same with what the call has got by now. */
    Surroundings and(Admission admission) {
        return new Surroundings(admission.over(holds), carried);
    }
}

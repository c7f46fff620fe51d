package dev.holdfast.lock.spring.cost;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jacoco.core.data.ExecutionDataStore;

/** Where instrumented classes note what they execute. Each {@link Recorder} loads this class for itself. */
public final class Probes {

    public static final ExecutionDataStore STORE = new ExecutionDataStore();

    /** The classes with a method that was entered, the first one first. */
    public static final Set<String> ENTERED = new LinkedHashSet<>();

    private Probes() {}

    /** Called by each method. */
    public static void entered(String type) {
        synchronized (ENTERED) {
            ENTERED.add(type);
        }
    }

    /** Called once by each instrumented class. */
    public static boolean[] of(long id, String name, int count) {
        synchronized (STORE) {
            return STORE.get(id, name, count).getProbes();
        }
    }
}

package dev.holdfast.lock.chaos;

import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * Runs random short scenarios of a class's operations on two threads, each in many interleavings, which Lincheck chooses between the reads and
 * writes of shared memory. Fails if results are not those of some order of the operations, or a validation fails. {@code -Dinterleavings=10}
 * runs ten times as many scenarios.
 */
public final class Interleavings {

    /** Not part of a build: Lincheck's threads take turns by spinning, which takes a minute a class where the processors are busy. */
    public static final String TAG = "interleavings";

    private static final int SCENARIOS = 5;
    private static final int PER_SCENARIO = 100;

    private Interleavings() {}

    public static void check(Class<?> operations) {
        new ModelCheckingOptions()
                .iterations(SCENARIOS * Integer.getInteger("interleavings", 1))
                .invocationsPerIteration(PER_SCENARIO)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(1)
                // The JDK's collections and atomics are taken for right: a method of theirs is one step, unless it runs
                // what may block.
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(name -> name.startsWith("java.util.concurrent."))
                        .methods(name -> !name.startsWith("compute"))
                        .treatAsAtomic())
                .check(operations);
    }
}

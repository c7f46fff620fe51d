package dev.holdfast.lock.internal;

import java.util.Set;
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

    /** Lincheck takes 20 s without an answer for a hang, and its first scenario waits for the agent to rewrite the JDK's classes. */
    private static final long TIMEOUT_MILLIS = 170_000;

    /** It takes the hundredth pass through a loop for a hang, too. */
    private static final int LONGEST_LOOP = 5_000;

    /**
     * Their methods are one step each. None of them calls back or takes a monitor: within such a step Lincheck neither sees monitors nor gives objects
     * the hash codes that it gives them elsewhere, so code that is called there hangs or corrupts its maps.
     */
    private static final Set<String> SINGLE_STEPS = Set.of(
            "java.util.concurrent.ConcurrentLinkedQueue",
            "java.util.concurrent.ThreadLocalRandom",
            "java.util.concurrent.atomic.AtomicInteger",
            "java.util.concurrent.atomic.AtomicLong");

    private Interleavings() {}

    public static void check(Class<?> operations) {
        new ModelCheckingOptions()
                .iterations(SCENARIOS * Integer.getInteger("interleavings", 1))
                .invocationsPerIteration(PER_SCENARIO)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(1)
                .hangingDetectionThreshold(LONGEST_LOOP)
                .invocationTimeout$lincheck(TIMEOUT_MILLIS)
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(SINGLE_STEPS::contains)
                        .allMethods()
                        .treatAsAtomic())
                .check(operations);
    }
}

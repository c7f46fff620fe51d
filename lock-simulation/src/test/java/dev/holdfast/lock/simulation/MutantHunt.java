package dev.holdfast.lock.simulation;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Looks for a seed that breaks a promise. Loaded once more with each mutant. */
public final class MutantHunt {

    private static final Logger SILENT = Logger.getLogger("dev.holdfast.lock");

    private MutantHunt() {}

    /** Returns how many seeds it took, and which promise was broken; null if none was. */
    public static @Nullable String hunt(int mostSeeds) {
        SILENT.setLevel(Level.OFF);
        for (int seed = 1; seed <= mostSeeds; seed++) {
            Violation violation = Simulation.run(Planner.of(seed), false).violation();
            if (violation != null) {
                return seed + "|" + violation.promise();
            }
        }
        return null;
    }

    /** The same for a mutant. */
    static @Nullable String hunt(Mutant mutant, int mostSeeds) {
        try {
            return (String) new MutantLoader(mutant)
                    .loadClass(MutantHunt.class.getName())
                    .getMethod("hunt", int.class)
                    .invoke(null, mostSeeds);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(mutant.toString(), e);
        }
    }
}

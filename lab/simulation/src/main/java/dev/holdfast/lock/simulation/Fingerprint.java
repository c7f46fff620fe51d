package dev.holdfast.lock.simulation;

import java.util.logging.Level;
import java.util.logging.Logger;

/** One number for the histories of some seeds. It serves to compare processes and JDKs with each other. */
final class Fingerprint {

    private static final int SEEDS = 12;
    private static final Logger SILENT = Logger.getLogger("dev.holdfast.lock");

    private Fingerprint() {}

    public static void main(String[] args) {
        System.out.println(of(false));
    }

    /**
     * Runs the seeds.
     *
     * @param readable whether the histories also keep their lines, which must not change the number
     */
    static String of(boolean readable) {
        SILENT.setLevel(Level.OFF);
        long hash = 17;
        for (int seed = 1; seed <= SEEDS; seed++) {
            hash = 31 * hash + Simulation.run(Planner.of(seed), readable).hash();
        }
        return Long.toHexString(hash);
    }
}

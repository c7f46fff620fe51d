package dev.holdfast.lock.simulation;

/** Random numbers from a seed (SplitMix64). They are the same on every JDK. */
final class Chance {

    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private long state;

    Chance(long seed) {
        state = seed;
    }

    /** Returns independent random numbers for a user, which do not depend on other users' draws. */
    static Chance of(long seed, String user) {
        return new Chance(mixed(seed ^ mixed(user.hashCode() * GAMMA)));
    }

    private static long mixed(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    long next() {
        state += GAMMA;
        return mixed(state);
    }

    /** Returns a number from 0 to one less than the bound. */
    int below(int bound) {
        return (int) Long.remainderUnsigned(next(), bound);
    }

    /** Returns true once in the given number of times, on average. */
    boolean onceIn(int times) {
        return below(times) == 0;
    }

    long between(long from, long to) {
        return from + Long.remainderUnsigned(next(), to - from + 1);
    }

    /** Returns a number that is at least 0 and less than 1. */
    double fraction() {
        return (next() >>> 11) * 0x1.0p-53;
    }
}

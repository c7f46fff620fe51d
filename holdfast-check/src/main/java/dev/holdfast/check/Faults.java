package dev.holdfast.check;

import java.util.Random;

/** A source of faults. Each call of {@link #strike} causes one fault. */
public interface Faults {

    /** Returns the minimum pause between two faults, in milliseconds. A random time of up to the same length is added. */
    int pauseMillis();

    void strike(Random random) throws InterruptedException;
}

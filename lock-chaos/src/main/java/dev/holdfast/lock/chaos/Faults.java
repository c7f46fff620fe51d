package dev.holdfast.lock.chaos;

import java.util.Random;

/** One source of faults. It strikes once for each call. */
interface Faults {

    /** Between two of its faults, in milliseconds: at least, and as much more at random. */
    int pauseMillis();

    void strike(Random random) throws InterruptedException;
}

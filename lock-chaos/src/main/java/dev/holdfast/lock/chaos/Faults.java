package dev.holdfast.lock.chaos;

import java.util.Random;

/** One source of faults. It strikes once for each call. */
interface Faults {

    void strike(Random random) throws InterruptedException;
}

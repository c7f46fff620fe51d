package dev.holdfast.lock.benchmarks;

import java.util.concurrent.locks.Lock;

/** One library in the race, on a client of its own. */
interface Contender extends AutoCloseable {

    String label();

    Lock lock(String name);

    @Override
    void close();
}

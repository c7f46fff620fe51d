package dev.holdfast.lock.benchmarks;

/** One question, and how it is answered. */
interface Benchmark {

    /** In one line, for those who do not know which they need. */
    String what();

    void run(Bench bench, Table table) throws InterruptedException;
}

package dev.holdfast.lock.benchmarks;

/** A benchmark, which measures one aspect and fills a table. */
interface Benchmark {

    /** Returns a description in one line, which helps users to choose a benchmark. */
    String what();

    void run(Bench bench, Table table) throws InterruptedException;
}

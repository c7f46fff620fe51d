package dev.holdfast.lock.benchmarks;

/** One library's part in a benchmark. Its rounds alternate with those of the other lanes. */
interface Lane extends AutoCloseable {

    void round(int number) throws InterruptedException;

    /** Returns the row with the library's figures. */
    Table.Row row();

    @Override
    void close();
}

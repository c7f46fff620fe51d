package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.trials.LockLibrary;
import java.util.Arrays;
import java.util.List;

/** Runs all benchmarks of {@code docs/lab/performance.md}, one part after the other. {@code -Dparts} selects parts. */
final class Speed {

    private static final String PARTS = System.getProperty("parts", "");

    /**
     * A part.
     *
     * @param name the name of its files
     * @param title the title of its table
     * @param benchmark the benchmark to run
     * @param base the library to which the ratios of the other libraries refer
     * @param charts the figures to draw
     */
    private record Part(String name, String title, Benchmark benchmark, LockLibrary base, List<String> charts) {}

    private static final String TO_RAW = "x raw";
    private static final String TO_REDISSON = "x Redisson";
    private static final List<Part> ALL = List.of(
            new Part(
                    "own",
                    "Own names",
                    new OwnLocks(1, Work.CYCLE_ALONE, library -> true, 1, 8, 64),
                    LockLibrary.RAW,
                    List.of(
                            TO_RAW,
                            Measurement.CLIENT_CPU,
                            Measurement.SERVER_CPU,
                            Measurement.ALLOCATED,
                            Measurement.BYTES_IN)),
            new Part(
                    "one",
                    "One name, one process",
                    new Processes(1, 2, 16, 64),
                    LockLibrary.REDISSON,
                    List.of(TO_REDISSON)),
            new Part(
                    "deep",
                    "Three deep",
                    new OwnLocks(1, Work.CYCLE_THREE_DEEP, LockLibrary::isReentrant, 1, 8),
                    LockLibrary.REDISSON,
                    List.of(TO_REDISSON)),
            new Part(
                    "memory",
                    "Heap",
                    new Memory(),
                    LockLibrary.REDISSON,
                    List.of("a held lock, B", "a waiter on one name, B", "a waiter on its own name, B")),
            new Part(
                    "held",
                    "10,000 held locks, renewed",
                    new HeldLocks(10_000),
                    LockLibrary.REDISSON,
                    List.of("client CPU, %", "renewal script, µs")),
            new Part("steady", "Steady load", new Steady(), LockLibrary.REDISSON, List.of("scripts, part 3")));

    private Speed() {}

    /** Returns the rows for a chart that is small enough for a first page. */
    private static List<Table.Row> ofEightThreads(Table table) {
        return table.rows().stream()
                .filter(row -> row.subject().endsWith(", 8 threads"))
                .toList();
    }

    static void run(Bench bench, Report report) throws InterruptedException {
        for (Part part : ALL) {
            if (PARTS.isEmpty() || Arrays.asList(PARTS.split(",", -1)).contains(part.name())) {
                Table table = new Table();
                part.benchmark().run(bench, table);
                boolean beside = part.base() == LockLibrary.RAW;
                table.ratios(Measurement.RATE, Benchmarks.TO_EARLIER, LockLibrary.EARLIER);
                table.ratios(Measurement.RATE, beside ? TO_RAW : TO_REDISSON, part.base());
                table.ratios("client CPU, %", "client CPU x Redisson", part.base());
                report.add(part.name(), part.title(), table, part.charts().toArray(String[]::new));
                if (beside) {
                    report.chart("peers.svg", "Locks of its own for each of 8 threads", TO_RAW, ofEightThreads(table));
                }
            }
        }
    }
}

package dev.holdfast.lock.benchmarks;

import java.util.List;

/**
 * What a library adds to the start of an application. In each round, every application starts once, and each figure is also compared with the
 * application without a library in the same round.
 */
record StartUp() implements Benchmark {

    /** What goes on in the background for this time after the start is a part of its costs. */
    private static final int AFTER_MILLIS = 1_000;

    private static final int ROUNDS = Integer.getInteger("rounds", 3);

    private static final List<String> FIGURES = List.of("CPU, ms", "ready after, ms", "classes");

    @Override
    public String what() {
        return "CPU and time that a library adds to the start of an application (-Dparts=bare,redis or test, which starts the context of a test; -Dlibraries="
                + "starter,holdfast,shedlock,redisson; -Darchive=true starts from an archive of classes)";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        List<ApplicationJars> all = ApplicationJars.all(bench);
        for (ApplicationJars application : all) {
            // Not counted: the first start reads the jars from the disk.
            start(application, new Table());
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < all.size(); i++) {
                start(all.get(round % 2 == 0 ? i : all.size() - 1 - i), table);
            }
        }
        for (ApplicationJars application : all) {
            Table.Row row = table.row(application.subject());
            Table.Row without = table.row(StartedLibrary.NONE.subject(application.base()));
            for (String figure : row == without ? List.<String>of() : FIGURES) {
                for (int round = 0; round < ROUNDS; round++) {
                    row.add(
                            "more " + figure,
                            row.values(figure).get(round)
                                    - without.values(figure).get(round));
                }
            }
        }
    }

    private static void start(ApplicationJars application, Table table) throws InterruptedException {
        try (ApplicationProcess started = application.start()) {
            Thread.sleep(AFTER_MILLIS);
            table.row(application.subject())
                    .add(FIGURES.get(0), started.cpu().toMillis())
                    .add(FIGURES.get(1), started.readyAfter().toMillis())
                    .add(FIGURES.get(2), Long.parseLong(started.parts().getOrDefault("classes", "0")));
        }
    }
}

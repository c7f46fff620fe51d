package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.benchmarks.application.Jobs;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What an application with twenty jobs consists of, and what it does, while none of them is due. */
record IdleApplication() implements Benchmark {

    /** By then, what a start leaves for later has been done. */
    private static final int SETTLE_MILLIS = 10_000;

    private static final int SECONDS = Integer.getInteger("seconds", 60);

    @Override
    public String what() {
        return "heap, threads, connections and commands of an application with twenty jobs that are not due (-Dseconds=60;"
                + " -Dparts and -Dlibraries as for startup)";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        Map<String, String> threads = new TreeMap<>();
        for (ApplicationJars application : ApplicationJars.all(bench, Jobs.class)) {
            try (ApplicationProcess started = application.start()) {
                Thread.sleep(SETTLE_MILLIS);
                started.parts();
                Duration before = started.cpu();
                bench.server().resetStats();
                Thread.sleep(1000L * SECONDS);
                Map<String, Long> commands = new TreeMap<>(bench.server().commandStats());
                // The bench itself resets the statistics and reads them.
                commands.keySet().removeAll(Set.of("config|resetstat", "info"));
                Duration cpu = started.cpu().minus(before);
                Map<String, String> parts = started.parts();
                table.row(application.subject())
                        .add("heap, MB", Long.parseLong(parts.getOrDefault("heap", "0")) / 1e6)
                        .add("threads", threads(parts.getOrDefault("threads", "")))
                        .add(
                                "connections",
                                Integer.parseInt(bench.server().info("clients").get("connected_clients")) - 1)
                        .add(
                                "commands a minute",
                                commands.values().stream()
                                                .mapToLong(each -> each)
                                                .sum()
                                        * 60.0
                                        / SECONDS)
                        .add("CPU in a minute, ms", cpu.toMillis() * 60.0 / SECONDS);
                threads.put(application.subject(), parts.get("threads") + " " + commands);
            }
        }
        threads.forEach((subject, names) -> System.out.println(subject + ": " + names));
    }

    private static long threads(String names) {
        long sum = 0;
        for (String each : names.split(",", -1)) {
            sum += Long.parseLong(each.substring(each.lastIndexOf(' ') + 1));
        }
        return sum;
    }
}

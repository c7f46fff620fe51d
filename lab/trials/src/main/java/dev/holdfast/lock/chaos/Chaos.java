package dev.holdfast.lock.chaos;

import dev.holdfast.lock.trials.LockLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Runs the fault tests and writes the report. The run is short by default; {@code -Dminutes} sets the time for all rounds of Holdfast.
 *
 * <p>The options are {@code -Dlibraries=holdfast,naive,redisson}, {@code -Dclasses=network,data}, {@code -Dseed}, {@code -Dseconds} of a round,
 * {@code -Dplanned}, {@code -Dgrace} and {@code -Dout}. {@code -Dendurance=30} runs 30 minutes of load without faults instead. {@code
 * -Dmerge=folder,folder} runs nothing, and makes one report of the reports in these folders. Exits with 1 if Holdfast breaks a promise, or if the
 * naive lock breaks none.
 */
public final class Chaos {

    private Chaos() {}

    public static void main(String[] args) throws Exception {
        Path out = Files.createDirectories(Path.of(text("out", "target/chaos")));
        if (!text("merge", "").isEmpty()) {
            FaultReport merged = FaultReport.merge(
                    out,
                    Stream.of(text("merge", "").split(",", -1)).map(Path::of).toList());
            merged.finish();
            System.exit(merged.isGood() ? 0 : 1);
        }
        int endurance = (int) number("endurance", 0);
        if (endurance > 0) {
            System.exit(Endurance.run(endurance, out, Path.of(text("pause", "no pause"))) ? 0 : 1);
        }
        long seed = number("seed", new Random().nextInt(1_000_000));
        int minutes = (int) number("minutes", 0);
        int seconds = (int) number("seconds", minutes > 0 ? 60 : 14);
        List<LockLibrary> libraries =
                LockLibrary.named(text("libraries", minutes > 0 ? "holdfast,naive,redisson" : "holdfast,naive"))
                        .stream()
                        .filter(LockLibrary::runsUnderFaults)
                        .toList();
        List<FaultClass> classes = chosen("classes", FaultClass.values());
        System.out.println("chaos: seed " + seed + ", JDK " + Runtime.version() + ", " + out.toAbsolutePath());
        FaultReport report = new FaultReport(out, "First seed " + seed);
        long end = System.nanoTime() + minutes * 60_000_000_000L;
        long next = seed;
        // Other libraries run only once, to show what the same faults do to them.
        for (LockLibrary library : libraries) {
            do {
                for (FaultClass faultClass : classes) {
                    if (!faultClass.isPossible()) {
                        System.out.println(
                                faultClass + " needs gcc and a redis-server on the path that is linked dynamically");
                        continue;
                    }
                    int length = library == LockLibrary.HOLDFAST ? seconds : Math.max(seconds, 20);
                    run(new Round(library, faultClass, next++, length), out, report);
                }
            } while (library == LockLibrary.HOLDFAST && System.nanoTime() - end < 0);
        }
        report.finish();
        System.exit(report.isGood() ? 0 : 1);
    }

    /** Runs a round. A round whose servers do not start again proves nothing, and does not end the other rounds. */
    private static void run(Round round, Path out, FaultReport report) throws IOException, InterruptedException {
        try {
            report.add(round.run(out));
        } catch (RuntimeException e) {
            System.out.println(round + " was not finished: " + e);
            e.printStackTrace();
            report.unfinished(round, e);
        }
    }

    private static <T> List<T> chosen(String property, T[] all) {
        String names = text(property, "");
        return Stream.of(all)
                .filter(each -> names.isEmpty()
                        || Arrays.asList(names.split(",", -1))
                                .contains(each.toString().toLowerCase(Locale.ROOT)))
                .toList();
    }

    private static long number(String property, long otherwise) {
        return Long.parseLong(text(property, String.valueOf(otherwise)));
    }

    private static String text(String property, String otherwise) {
        String value = System.getProperty(property, "");
        return value.isEmpty() ? otherwise : value;
    }
}

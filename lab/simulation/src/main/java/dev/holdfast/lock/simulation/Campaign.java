package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.Simulation.Result;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Runs one seed after the other until there are enough grants and faults, or until a promise is broken. */
public final class Campaign {

    /**
     * The limits of a campaign.
     *
     * @param seed the first seed
     * @param failures the file in which failures are noted before the campaign continues; null if the campaign ends with the first failure
     */
    record Options(
            long seed,
            long seeds,
            long grants,
            long faults,
            long seconds,
            @Nullable Path failures) {

        static Options of(Map<String, String> options) {
            boolean isLimited = options.containsKey("seconds") || options.containsKey("seeds");
            String failures = options.get("failures");
            return new Options(
                    number(options, "seed", System.nanoTime() >>> 12),
                    number(options, "seeds", Long.MAX_VALUE),
                    number(options, "grants", isLimited ? Long.MAX_VALUE : 1_000_000),
                    number(options, "faults", 0),
                    number(options, "seconds", Long.MAX_VALUE),
                    failures == null ? null : Path.of(failures));
        }

        /** Returns options that limit only the seeds. */
        static Options seeds(long first, int number) {
            return of(Map.of("seed", Long.toString(first), "seeds", Integer.toString(number)));
        }
    }

    private static final long BETWEEN_LINES = 5_000_000_000L;
    /** The product's logger. It is switched off, because lost leases and outages are expected here. */
    private static final Logger SILENT = Logger.getLogger("dev.holdfast.lock");

    private final PrintStream out;
    private final Options options;
    private final Counts counts = new Counts();
    private final Map<Plan.Profile, Counts> ofProfile = new EnumMap<>(Plan.Profile.class);
    private final Map<Plan.Profile, Integer> plansOfProfile = new EnumMap<>(Plan.Profile.class);
    private final long begun = System.nanoTime();
    private long seeds;
    private long failed;
    private long nextLine = begun + BETWEEN_LINES;

    Campaign(PrintStream out, Options options) {
        this.out = out;
        this.options = options;
        SILENT.setLevel(Level.OFF);
    }

    /**
     * Runs the simulation.
     *
     * @param args {@code grants=<how many>}, {@code faults=<how many>}, {@code seconds=<how long>}, {@code seeds=<how many>},
     *     {@code seed=<the first>}, {@code failures=<a file for them>}, {@code one=<a seed to show>}
     */
    public static void main(String[] args) {
        Map<String, String> options = new HashMap<>();
        for (String arg : String.join(" ", args).trim().split("\\s+", -1)) {
            String[] option = arg.split("=", 2);
            options.put(option[0], option[option.length - 1]);
        }
        SILENT.setLevel(Level.OFF);
        if (options.containsKey("one")) {
            Result result = Simulation.run(Planner.of(number(options, "one", 0)), true);
            System.out.println(result.history().table(Integer.MAX_VALUE));
            System.out.println(result.violation() == null ? "Every promise was kept" : Report.of(result));
            return;
        }
        Campaign campaign = new Campaign(System.out, Options.of(options));
        Result broken = campaign.run();
        campaign.line();
        campaign.details();
        System.out.println(broken == null ? CHECKED : Report.of(broken));
        if (campaign.failed > 0) {
            System.out.println(campaign.failed + " seeds failed");
            System.exit(1);
        }
    }

    private static final String CHECKED = """
            Checked after each step: one holder at a time, semaphores never over their number, readers and writers apart; each loss reported
            once, immediately, and never after a release; tokens only grow, none is given twice, no rightful write is refused; wait budgets;
            no call answered twice; busy, unavailable and lost never confused; minimum holds; a free lock found by a waiter; every key with a
            time to live. Checked when a client closes, and at the end: nothing held, no waiter, timer or key left, every call answered.""";

    private static long number(Map<String, String> options, String name, long otherwise) {
        String value = options.get(name);
        return value == null ? otherwise : Long.parseLong(value);
    }

    /** Runs the campaign. Returns the last result, which may have broken a promise. */
    @Nullable
    Result run() {
        out.println("First seed " + options.seed);
        for (long seed = options.seed; goesOn(); seed++) {
            Result result = Simulation.run(Planner.of(seed), false);
            seeds++;
            if (result.violation() == null) {
                counts.add(result.counts());
                Plan.Profile profile = result.plan().profile();
                ofProfile.computeIfAbsent(profile, any -> new Counts()).add(result.counts());
                plansOfProfile.merge(profile, 1, Integer::sum);
            } else {
                failed++;
                if (options.failures == null) {
                    return result;
                }
                note(options.failures, result);
            }
            if (System.nanoTime() - nextLine >= 0) {
                line();
                nextLine = System.nanoTime() + BETWEEN_LINES;
            }
        }
        return null;
    }

    private boolean goesOn() {
        return seeds < options.seeds
                && (counts.grants < options.grants || counts.faults < options.faults)
                && elapsedSeconds() < options.seconds;
    }

    private static void note(Path failures, Result result) {
        try {
            Files.writeString(failures, Report.of(result) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private double elapsedSeconds() {
        return (System.nanoTime() - begun) / 1e9;
    }

    void line() {
        double elapsed = elapsedSeconds();
        out.printf(
                Locale.ROOT,
                "%,d seeds, %,d failed, %,d grants, %,d busy, %,d unavailable, %,d losses, %,d faults, %,d scripts and commands in %.0f s: %,.0f grants a second%n",
                seeds,
                failed,
                counts.grants,
                counts.busy,
                counts.unavailable,
                counts.losses,
                counts.faults,
                counts.executions,
                elapsed,
                counts.grants / elapsed);
    }

    /** Prints the totals for each profile and kind. */
    private void details() {
        ofProfile.forEach((profile, of) -> out.printf(
                Locale.ROOT,
                "%s: %,d plans, %,d grants, %,d busy, %,d unavailable, %,d losses, %,d faults%n",
                profile,
                plansOfProfile.get(profile),
                of.grants,
                of.busy,
                of.unavailable,
                of.losses,
                of.faults));
        out.println("Grants: " + counts.grantsOfKind);
        out.println("Faults: " + counts.faultsOfKind);
    }

    Counts counts() {
        return counts;
    }
}

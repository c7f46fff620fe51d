package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.Simulation.Result;
import java.io.PrintStream;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Runs seeds one after the other, until there are enough grants or a promise is not kept. */
public final class Campaign {

    private static final long BETWEEN_LINES = 5_000_000_000L;
    /** Log lines of lost leases and outages are what is asked for here. */
    private static final Logger SILENT = Logger.getLogger("dev.holdfast.lock");

    private final PrintStream out;
    private final Counts counts = new Counts();
    private final long begun = System.nanoTime();
    private long seeds;
    private long nextLine = begun + BETWEEN_LINES;

    Campaign(PrintStream out) {
        this.out = out;
        SILENT.setLevel(Level.OFF);
    }

    /**
     * Runs the simulation.
     *
     * @param args {@code grants=<how many>}, {@code seconds=<how long>}, {@code seed=<the first>}, {@code one=<a seed to show>}
     */
    public static void main(String[] args) {
        Campaign campaign = new Campaign(System.out);
        long one = option(args, "one", -1);
        if (one >= 0) {
            SILENT.setLevel(Level.OFF);
            Result result = Simulation.run(Planner.of(one), true);
            System.out.println(result.history().table(Integer.MAX_VALUE));
            System.out.println(result.violation() == null ? "Every promise was kept" : Report.of(result));
            return;
        }
        long seconds = option(args, "seconds", Long.MAX_VALUE);
        Result failed = campaign.run(
                option(args, "seed", System.nanoTime() >>> 12),
                option(args, "grants", seconds == Long.MAX_VALUE ? 1_000_000 : Long.MAX_VALUE),
                seconds);
        campaign.line();
        if (failed == null) {
            System.out.println(CHECKED);
        } else {
            System.out.println(Report.of(failed));
            System.exit(1);
        }
    }

    private static final String CHECKED = """
            Checked after each step: one holder at a time, semaphores never over their number, readers and writers apart; each loss reported
            once, immediately, and never after a release; tokens only grow, none is given twice, no rightful write is refused; wait budgets;
            no call answered twice; busy, unavailable and lost never confused; minimum holds; a free lock found by a waiter; every key with a
            time to live. Checked when a client closes, and at the end: nothing held, no waiter, timer or key left, every call answered.""";

    private static long option(String[] args, String name, long otherwise) {
        for (String arg : args) {
            if (arg.startsWith(name + "=")) {
                return Long.parseLong(arg.substring(name.length() + 1));
            }
        }
        return otherwise;
    }

    /** Returns the first result that broke a promise. */
    @Nullable
    Result run(long firstSeed, long grants, long seconds) {
        out.println("First seed " + firstSeed);
        for (long seed = firstSeed; counts.grants < grants && elapsedSeconds() < seconds; seed++) {
            Result result = Simulation.run(Planner.of(seed), false);
            counts.add(result.counts());
            seeds++;
            if (result.violation() != null) {
                return result;
            }
            if (System.nanoTime() - nextLine >= 0) {
                line();
                nextLine = System.nanoTime() + BETWEEN_LINES;
            }
        }
        return null;
    }

    private double elapsedSeconds() {
        return (System.nanoTime() - begun) / 1e9;
    }

    void line() {
        double elapsed = elapsedSeconds();
        out.printf(
                Locale.ROOT,
                "%,d seeds, %,d grants, %,d busy, %,d unavailable, %,d losses, %,d faults, %,d scripts and commands in %.0f s: %,.0f grants a second%n",
                seeds,
                counts.grants,
                counts.busy,
                counts.unavailable,
                counts.losses,
                counts.faults,
                counts.executions,
                elapsed,
                counts.grants / elapsed);
    }

    Counts counts() {
        return counts;
    }
}

package dev.holdfast.lock.explore;

import dev.holdfast.lock.explore.Scenario.Fault;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Explores all scenarios without faults, and then some of them with one fault, and prints what was visited. Ends with a failure if a promise is broken.
 *
 * <p>The argument consists of options with a number each: {@code seconds} for everything without faults, and as many with them (120), {@code each} for
 * a scenario with a fault at most (15), {@code moments} (6), {@code faults} in one story (1), {@code order} in which scenarios with faults come (the
 * number of the present day), and {@code only} with the beginning of a scenario's name, whose spaces are written as underscores.
 */
public final class Exploration {

    private static final int MOST_STATES = 5_000_000;

    private final Map<String, String> options;
    private long states;
    private long transitions;
    private boolean failed;

    private Exploration(Map<String, String> options) {
        this.options = options;
    }

    public static void main(String[] args) {
        Map<String, String> options = Arrays.stream(
                        String.join(" ", args).trim().split("[ ]+"))
                .filter(option -> option.contains("="))
                .map(option -> option.split("=", 2))
                .collect(Collectors.toMap(option -> option[0], option -> option[1]));
        Exploration exploration = new Exploration(options);
        exploration.run();
        if (exploration.failed) {
            System.exit(1);
        }
    }

    private int number(String option, int usual) {
        return Integer.parseInt(options.getOrDefault(option, Integer.toString(usual)));
    }

    private void run() {
        int moments = number("moments", 6);
        System.out.println("| scenario | fault | situations | steps | longest story | | seconds |");
        System.out.println("| --- | --- | ---: | ---: | ---: | --- | ---: |");
        long nanos = TimeUnit.SECONDS.toNanos(number("seconds", 120));
        List<Scenario> faultless =
                Scenarios.faultless(moments).stream().filter(this::isWanted).toList();
        long end = System.nanoTime() + nanos;
        int left = faultless.size();
        for (Scenario scenario : faultless) {
            // Each scenario gets an equal share of the time that is left.
            explore(scenario, (end - System.nanoTime()) / left--);
        }
        List<Scenario> faulty = new ArrayList<>(Arrays.stream(Fault.values())
                .flatMap(fault -> Scenarios.all(EnumSet.of(fault), number("faults", 1), moments).stream())
                .filter(this::isWanted)
                .toList());
        // They are too many for one night: each night takes others.
        Collections.shuffle(faulty, new Random(number("order", (int)
                LocalDate.now(ZoneOffset.UTC).toEpochDay())));
        end = System.nanoTime() + nanos;
        for (Scenario scenario : faulty) {
            if (System.nanoTime() - end < 0) {
                explore(scenario, TimeUnit.SECONDS.toNanos(number("each", 15)));
            }
        }
        System.out.printf(Locale.ROOT, "%,d situations, %,d steps%n", states, transitions);
    }

    private boolean isWanted(Scenario scenario) {
        return scenario.name().startsWith(options.getOrDefault("only", "").replace('_', ' '));
    }

    private void explore(Scenario scenario, long nanos) {
        int seconds = (int) Math.max(1, TimeUnit.NANOSECONDS.toSeconds(nanos));
        Explorer.Explored explored = Explorer.explore(scenario, UnaryOperator.identity(), MOST_STATES, seconds);
        states += explored.states();
        transitions += explored.transitions();
        System.out.printf(
                Locale.ROOT,
                "| %s | %s | %,d | %,d | %d | %s | %.1f |%n",
                explored.scenario(),
                faults(scenario),
                explored.states(),
                explored.transitions(),
                explored.depth(),
                explored.isComplete() ? "complete" : "cut",
                explored.seconds());
        if (explored.story() != null) {
            failed = true;
            System.out.println("\n" + explored.story());
        }
    }

    private static String faults(Scenario scenario) {
        return scenario.faults().isEmpty()
                ? "none"
                : scenario.faults().stream()
                        .map(fault -> fault.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                        .collect(Collectors.joining(", "));
    }
}

package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.testing.RedisServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Races Holdfast against Redisson on one embedded Redis and prints ratios. Absolute figures mean little on a busy machine; each round measures
 * both, in turn first, and the figure is the median of the rounds' ratios.
 */
public final class Race {

    private static final int ROUNDS = Integer.getInteger("rounds", 7);
    private static final int MILLIS = Integer.getInteger("millis", 1000);
    private static final Set<String> SENT = Set.of("evalsha", "eval", "subscribe", "unsubscribe");

    private Race() {}

    /**
     * Runs the race.
     *
     * @param args none
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        try (RedisServer server = RedisServer.start();
                Contender holdfast = new HoldfastContender(server.port());
                Contender redisson = RedissonContender.withDefaults(server.port())) {
            System.out.printf("%s, %d rounds of %d ms each, JDK %s%n", server, ROUNDS, MILLIS, Runtime.version());
            System.out.println(
                    "| scenario | holdfast/s | redisson/s | ratio | lowest | highest | commands a cycle: holdfast | redisson |");
            System.out.println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
            for (Scenario scenario : List.of(
                    new Scenario("own names, 1 thread", 1, false, 1),
                    new Scenario("own names, 8 threads", 8, false, 1),
                    new Scenario("three deep, 1 thread", 1, false, 3),
                    new Scenario("one name, 2 threads", 2, true, 1),
                    new Scenario("one name, 16 threads", 16, true, 1))) {
                race(server, scenario, holdfast, redisson);
            }
        }
        System.exit(0);
    }

    /** What one contender showed, round by round. */
    private record Lane(Contender contender, List<Double> rates, List<Double> commands) {

        Lane(Contender contender) {
            this(contender, new ArrayList<>(), new ArrayList<>());
        }

        void run(RedisServer server, Scenario scenario) throws InterruptedException {
            server.resetStats();
            double rate = scenario.run(contender, contender.label() + scenario.hashCode(), MILLIS);
            rates.add(rate);
            commands.add(sent(server) / (rate * MILLIS / 1000));
        }
    }

    private static void race(RedisServer server, Scenario scenario, Contender ours, Contender peer)
            throws InterruptedException {
        new Lane(ours).run(server, scenario);
        new Lane(peer).run(server, scenario);
        Lane our = new Lane(ours);
        Lane their = new Lane(peer);
        for (int round = 0; round < ROUNDS; round++) {
            (round % 2 == 0 ? our : their).run(server, scenario);
            (round % 2 == 0 ? their : our).run(server, scenario);
        }
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            ratios.add(our.rates().get(round) / their.rates().get(round));
        }
        System.out.printf(
                Locale.ROOT,
                "| %s | %.0f | %.0f | %.1f | %.1f | %.1f | %.2f | %.2f |%n",
                scenario.title(),
                median(our.rates()),
                median(their.rates()),
                median(ratios),
                Collections.min(ratios),
                Collections.max(ratios),
                median(our.commands()),
                median(their.commands()));
    }

    /** What clients sent, without what scripts did inside. */
    private static double sent(RedisServer server) {
        return server.commandStats().entrySet().stream()
                .filter(command -> SENT.contains(command.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }
}

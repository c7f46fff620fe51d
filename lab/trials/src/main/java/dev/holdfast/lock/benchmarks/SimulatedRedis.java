package dev.holdfast.lock.benchmarks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

/** A server with one thread, in virtual time in µs. Each command waits until all commands that arrived before it are complete. */
final class SimulatedRedis {

    private final SimulationCosts costs;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingDouble(Event::time).thenComparingLong(Event::number));
    private final List<Double> latencies = new ArrayList<>();
    // The seed is fixed, so that a simulation gives the same figures each time.
    private final Random random = new Random(2);
    private long numbers;
    private double now;
    private double freeAt;
    private double busy;
    private long scripts;
    private long messages;

    SimulatedRedis(SimulationCosts costs) {
        this.costs = costs;
    }

    double now() {
        return now;
    }

    void after(double micros, Runnable action) {
        events.add(new Event(now + micros, numbers++, action));
    }

    /** Sends a script. Its messages and its answer arrive after it was executed. */
    void send(Script script, Runnable answer) {
        double sent = now;
        after(costs.network(), () -> {
            // Scripts are executed in the order of their arrival, so the effect can be computed now.
            List<Runnable> toSend = new ArrayList<>();
            double cost = script.execute(toSend) + toSend.size() * costs.message() + (now < freeAt ? 0 : costs.idle());
            freeAt = Math.max(now, freeAt) + cost;
            busy += cost;
            scripts++;
            messages += toSend.size();
            double arrival = freeAt - now + costs.network();
            toSend.forEach(message -> after(arrival + exponentialClient(), message));
            after(arrival, () -> {
                latencies.add(now - sent);
                answer.run();
            });
        });
    }

    private double exponentialClient() {
        return -costs.client() * Math.log(1 - random.nextDouble());
    }

    void run(double micros) {
        double end = now + micros;
        while (!events.isEmpty() && events.peek().time() <= end) {
            Event next = events.poll();
            now = next.time();
            next.action().run();
        }
        now = end;
    }

    /** Discards earlier figures, which are not measured. */
    void resetStatistics() {
        busy = 0;
        scripts = 0;
        messages = 0;
        latencies.clear();
    }

    double busyMicros() {
        return busy;
    }

    long scripts() {
        return scripts;
    }

    long messages() {
        return messages;
    }

    /** Returns a percentile of the commands' latencies, which include the network. */
    double latencyMillis(double percent) {
        return Table.percentile(latencies, percent) / 1_000;
    }

    /** Changes the state, adds messages, and returns the cost without the messages. */
    interface Script {
        double execute(List<Runnable> messages);
    }

    private record Event(double time, long number, Runnable action) {}
}

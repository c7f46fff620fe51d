package dev.holdfast.lock.benchmarks;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One lock in Redis, and those that wait for it. */
final class SimulatedLock {

    private final boolean oneIsWoken;
    private final SimulationCosts costs;
    private final Set<SimulatedClient> waiting = new LinkedHashSet<>();
    private @Nullable SimulatedClient holder;
    private long grant;

    /** @param oneIsWoken whether a release grants the lock to the first that waits, or wakes all of them */
    SimulatedLock(boolean oneIsWoken, SimulationCosts costs) {
        this.oneIsWoken = oneIsWoken;
        this.costs = costs;
    }

    /** The number of the client's grant, 0 if it has to wait. */
    long ask(SimulatedClient client, long number) {
        if (holder == null) {
            holder = client;
            grant = number;
            waiting.remove(client);
        } else if (holder != client) {
            waiting.add(client);
        }
        return holder == client ? grant : 0;
    }

    void release(List<Runnable> messages, long number) {
        holder = null;
        if (!oneIsWoken) {
            waiting.forEach(client -> messages.add(client::ask));
        } else if (!waiting.isEmpty()) {
            SimulatedClient next = waiting.iterator().next();
            waiting.remove(next);
            holder = next;
            grant = number;
            messages.add(() -> next.granted(number));
        }
    }

    /** After how long this waiter asks again by itself. */
    double poll(SimulatedClient client) {
        boolean first = !waiting.isEmpty() && waiting.iterator().next() == client;
        return oneIsWoken && !first ? costs.poll() : costs.pollOfHead();
    }
}

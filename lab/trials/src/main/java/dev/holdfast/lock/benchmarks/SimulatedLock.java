package dev.holdfast.lock.benchmarks;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One lock in Redis, and its waiters. */
final class SimulatedLock {

    private final boolean oneIsWoken;
    private final SimulationCosts costs;
    private final Set<SimulatedClient> waiting = new LinkedHashSet<>();
    private @Nullable SimulatedClient holder;
    private long grant;

    /** @param oneIsWoken whether a release grants the lock to the first waiter; if false, it wakes all waiters */
    SimulatedLock(boolean oneIsWoken, SimulationCosts costs) {
        this.oneIsWoken = oneIsWoken;
        this.costs = costs;
    }

    /** Requests the lock. Returns the number of the client's grant; 0 if the client has to wait. */
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

    /** Returns the time after which this waiter asks again without a message. */
    double poll(SimulatedClient client) {
        boolean first = !waiting.isEmpty() && waiting.iterator().next() == client;
        return oneIsWoken && !first ? costs.poll() : costs.pollOfHead();
    }
}

package dev.holdfast.lock.simulation.process;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The connections that are subscribed to a server's channels. */
public final class Subscribers {

    private final Map<String, Set<Subscriber>> subscribers = new LinkedHashMap<>();

    public void add(String channel, Subscriber connection) {
        subscribers.computeIfAbsent(channel, name -> new LinkedHashSet<>()).add(connection);
    }

    public void remove(String channel, Subscriber connection) {
        Set<Subscriber> present = subscribers.get(channel);
        if (present != null && present.remove(connection) && present.isEmpty()) {
            subscribers.remove(channel);
        }
    }

    /** Removes a connection that has ended. */
    public void forget(Subscriber connection) {
        List.copyOf(subscribers.keySet()).forEach(channel -> remove(channel, connection));
    }

    /** Removes all connections. */
    public void clear() {
        subscribers.clear();
    }

    public boolean has(String channel, Subscriber connection) {
        return subscribers.getOrDefault(channel, Set.of()).contains(connection);
    }

    /** Returns the number of connections that are subscribed to a channel. */
    public int count(String channel) {
        return subscribers.getOrDefault(channel, Set.of()).size();
    }

    /** Returns the channels to which a connection is subscribed. */
    public List<String> channelsOf(Subscriber connection) {
        return subscribers.keySet().stream()
                .filter(channel -> has(channel, connection))
                .toList();
    }

    /** Sends a message to all connections that are subscribed to its channel, and returns their number. */
    public int send(String channel, String message) {
        Set<Subscriber> present = subscribers.getOrDefault(channel, Set.of());
        present.forEach(connection -> connection.send(channel, message));
        return present.size();
    }
}

package dev.holdfast.lock.chaos;

import dev.holdfast.check.Terms;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Finds what clients have left on a server after they were closed. */
final class Leftovers {

    /** The time after which nothing may be left: one and a half leases, and the ten seconds for which a subscription outlives its last place. */
    private static final Duration LIMIT =
            Terms.LEASE.multipliedBy(3).dividedBy(2).plusSeconds(10);

    /** Keys that stay in Redis: the last number drawn for fencing tokens, and the reign. */
    private static final Pattern STAYS = Pattern.compile(".*token|holdfast:(open|reign)");

    private Leftovers() {}

    static List<String> of(RedisServer server) {
        List<String> left = new ArrayList<>();
        endless(server).forEach(key -> left.add("key " + key + " without an end"));
        try {
            Await.until("nothing is left", LIMIT, () -> now(server).isEmpty());
        } catch (IllegalStateException late) {
            left.addAll(now(server));
        }
        return left;
    }

    private static List<String> now(RedisServer server) {
        List<String> left = new ArrayList<>();
        for (String key : server.cli().keys("*chaos*")) {
            // Queues have their own, longer time to live. The last fencing token stays, in one key for each slot.
            if (key.startsWith("chaos") || key.startsWith("{chaos")) {
                left.add("key " + key + " for " + server.cli().pttl(key) + " ms more");
            }
        }
        server.cli().pubsubChannels().stream()
                .filter(channel -> !channel.startsWith("__"))
                .forEach(channel -> left.add("subscription to " + channel));
        ClientConnections.of(server).forEach(connection -> left.add("connection " + connection));
        return left;
    }

    private static List<String> endless(RedisServer server) {
        return server.cli().keys("*").stream()
                .filter(key -> !STAYS.matcher(key).lookingAt())
                .filter(key -> server.cli().pttl(key) == -1)
                .toList();
    }
}

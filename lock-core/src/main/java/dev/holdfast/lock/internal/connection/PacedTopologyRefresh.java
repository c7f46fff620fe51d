package dev.holdfast.lock.internal.connection;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.topology.ClusterTopologyRefresh;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Asks the nodes of a cluster for the topology. Nodes that do not answer are asked less and less often. Lettuce refreshes the topology every two
 * seconds and logs each node that it cannot reach, so an unreachable node would fill the log. The other nodes have the same information and are asked
 * each time. Lettuce has no setting for this: its period and the timeout of its triggers apply to all nodes, and without dynamic sources it asks only
 * the seeds, which may be the unreachable nodes.
 */
final class PacedTopologyRefresh implements ClusterTopologyRefresh {

    private static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(4);
    private static final int MOST_DOUBLINGS = 4;

    private record Silence(int times, long until) {}

    private final Map<RedisURI, Silence> silent = new ConcurrentHashMap<>();
    private final ClusterTopologyRefresh lettuce;
    private final LongSupplier clock;

    PacedTopologyRefresh(ClusterTopologyRefresh lettuce, LongSupplier clock) {
        this.lettuce = lettuce;
        this.clock = clock;
    }

    @Override
    public CompletionStage<Map<RedisURI, Partitions>> loadViews(
            Iterable<RedisURI> seeds, Duration connectTimeout, boolean discovery) {
        List<RedisURI> all = new ArrayList<>();
        seeds.forEach(all::add);
        List<RedisURI> asked = all.stream().filter(this::isDue).toList();
        if (asked.isEmpty()) {
            // No node has answered for some time, so all are asked: any of them may be the first to answer again.
            asked = all;
        }
        List<RedisURI> sent = asked;
        // Discovery would find the silent nodes again, so it is used only if all nodes are asked.
        boolean discovers = discovery && sent.size() == all.size();
        return lettuce.loadViews(sent, connectTimeout, discovers)
                .whenComplete((views, failure) -> sent.forEach(node -> {
                    if (failure == null && views.containsKey(node)) {
                        silent.remove(node);
                    } else {
                        silent.merge(node, silence(0), (before, now) -> silence(before.times + 1));
                    }
                }));
    }

    private boolean isDue(RedisURI node) {
        Silence silence = silent.get(node);
        return silence == null || silence.until - clock.getAsLong() <= 0;
    }

    private Silence silence(int times) {
        return new Silence(times, clock.getAsLong() + (FIRST_PAUSE << Math.min(times, MOST_DOUBLINGS)));
    }
}

package dev.holdfast.lock.testing;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.Collection;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One node of a cluster, and what it believes. */
final class ClusterNode {

    private final RedisServer server;
    private final String id;

    ClusterNode(RedisServer server) {
        this.server = server;
        this.id = server.cli().clusterMyId();
    }

    RedisServer server() {
        return server;
    }

    String id() {
        return id;
    }

    RedisCommands<String, String> commands() {
        return server.cli();
    }

    /** One by one: Redis 6.2 knows no ranges. */
    void takeSlots(int first, int last) {
        commands().clusterAddSlots(IntStream.rangeClosed(first, last).toArray());
    }

    void meet(ClusterNode other) {
        commands().clusterMeet("127.0.0.1", other.server.port());
    }

    boolean knows(Collection<ClusterNode> nodes) {
        Partitions view = view();
        return nodes.stream().allMatch(node -> view.getPartitionByNodeId(node.id) != null);
    }

    boolean isOk() {
        return ServerInfo.of(commands().clusterInfo()).get("cluster_state").equals("ok");
    }

    boolean isUp(int masters) {
        return isOk()
                && view().stream().filter(each -> each.getRole().isUpstream()).count() == masters;
    }

    /** The id of the slot's owner; a text that is no id while this node knows of none. */
    String ownerOf(int slot) {
        RedisClusterNode owner = view().getPartitionBySlot(slot);
        return owner == null ? "nobody" : owner.getNodeId();
    }

    boolean isMaster(String node) {
        RedisClusterNode seen = view().getPartitionByNodeId(node);
        return seen != null && seen.getRole().isUpstream() && !seen.is(RedisClusterNode.NodeFlag.FAIL);
    }

    @Nullable
    String masterOf(String node) {
        RedisClusterNode seen = view().getPartitionByNodeId(node);
        return seen == null ? null : seen.getSlaveOf();
    }

    private Partitions view() {
        return ClusterPartitionParser.parse(commands().clusterNodes());
    }
}

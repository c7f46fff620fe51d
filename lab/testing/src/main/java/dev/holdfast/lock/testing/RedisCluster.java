package dev.holdfast.lock.testing;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A Redis Cluster of three masters with a third of the slots and one replica each. A master that does not answer for
 * {@value #NODE_TIMEOUT_MILLIS} ms is replaced.
 */
public final class RedisCluster implements AutoCloseable {

    static final int NODE_TIMEOUT_MILLIS = 1_500;

    private static final int MASTERS = 3;

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<ClusterNode> nodes;

    private RedisCluster(List<ClusterNode> nodes) {
        this.nodes = nodes;
    }

    /** Starts six nodes with these lines of a redis.conf, makes them a cluster and waits until each thinks that all is well. */
    public static RedisCluster start(String... confLines) {
        List<String> lines = new ArrayList<>(Replication.CONFIGURATION);
        lines.addAll(List.of(
                "cluster-enabled yes",
                "cluster-config-file nodes.conf",
                "cluster-node-timeout " + NODE_TIMEOUT_MILLIS,
                // Any replica may be promoted, however long it was cut off; and none moves to another master.
                "cluster-replica-validity-factor 0",
                "cluster-allow-replica-migration no"));
        lines.addAll(List.of(confLines));
        List<ClusterNode> nodes = Parallel.start(2 * MASTERS, () -> ServerStart.plain(lines)).stream()
                .map(ClusterNode::new)
                .toList();
        RedisCluster cluster = new RedisCluster(nodes);
        try {
            cluster.bringUp();
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Starts one server that is a cluster and has all slots. Its address alone is enough for a client that knows nothing of clusters. */
    public static RedisServer startOneServer(String... confLines) {
        List<String> lines = new ArrayList<>(List.of("cluster-enabled yes", "cluster-config-file nodes.conf"));
        lines.addAll(List.of(confLines));
        RedisServer server = ServerStart.plain(lines);
        try {
            ClusterNode node = new ClusterNode(server);
            node.takeSlots(0, SlotHash.SLOT_COUNT - 1);
            Await.until("the cluster is up", LIMIT, node::isOk);
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private void bringUp() {
        for (int i = 0; i < nodes.size(); i++) {
            // Different epochs from the start: otherwise the nodes first have to sort out who outranks whom.
            nodes.get(i).commands().clusterSetConfigEpoch(i + 1L);
        }
        for (int i = 0; i < MASTERS; i++) {
            nodes.get(i).takeSlots(SlotHash.SLOT_COUNT * i / MASTERS, SlotHash.SLOT_COUNT * (i + 1) / MASTERS - 1);
        }
        for (ClusterNode node : nodes) {
            nodes.stream().filter(other -> other != node).forEach(node::meet);
        }
        Await.until("all nodes know each other", LIMIT, () -> nodes.stream().allMatch(n -> n.knows(nodes)));
        for (int i = MASTERS; i < nodes.size(); i++) {
            nodes.get(i).commands().clusterReplicate(nodes.get(i - MASTERS).id());
        }
        Replication.awaitLinks(servers().subList(MASTERS, nodes.size()));
        Await.until("the cluster is up", LIMIT, () -> nodes.stream().allMatch(n -> n.isUp(MASTERS)));
    }

    /** New URIs of all nodes. */
    public List<RedisURI> uris() {
        return nodes.stream().map(node -> node.server().uri()).toList();
    }

    public List<RedisServer> servers() {
        return nodes.stream().map(ClusterNode::server).toList();
    }

    /** The master of the key's slot, as the first node at work sees it. */
    public RedisServer masterOf(String key) {
        return byId(atWork().get(0).ownerOf(SlotHash.getSlot(key))).server();
    }

    /** A master that does not own the key's slot. */
    public RedisServer otherMasterThanOf(String key) {
        ClusterNode view = atWork().get(0);
        String owner = view.ownerOf(SlotHash.getSlot(key));
        return nodes.stream()
                .filter(node -> view.isMaster(node.id()) && !node.id().equals(owner))
                .findFirst()
                .orElseThrow()
                .server();
    }

    public List<RedisServer> replicasOf(RedisServer master) {
        String id = node(master).id();
        ClusterNode view = atWork().get(0);
        return nodes.stream()
                .filter(node -> id.equals(view.masterOf(node.id())))
                .map(ClusterNode::server)
                .toList();
    }

    /** Waits until all nodes at work name the same other master for the key and think that all is well; returns it. */
    public RedisServer awaitNewMasterOf(String key, RedisServer old) {
        int slot = SlotHash.getSlot(key);
        String oldId = node(old).id();
        Await.until("a new master in the place of " + old, LIMIT, () -> {
            List<String> owners =
                    atWork().stream().map(node -> node.ownerOf(slot)).distinct().toList();
            return owners.size() == 1
                    && !owners.get(0).equals(oldId)
                    && atWork().stream().allMatch(ClusterNode::isOk);
        });
        return masterOf(key);
    }

    /** Prepares to move the key's slot to another master, step by step. */
    public SlotMigration migrationOf(String key, RedisServer target) {
        int slot = SlotHash.getSlot(key);
        ClusterNode view = atWork().get(0);
        List<ClusterNode> masters =
                atWork().stream().filter(node -> view.isMaster(node.id())).toList();
        return new SlotMigration(slot, byId(view.ownerOf(slot)), node(target), masters, this::atWork);
    }

    /** Moves the key's slot with all its keys to another master. */
    public void migrate(String key, RedisServer target) {
        migrationOf(key, target).begin().moveKeys().finish();
    }

    /** Cuts replication from this master: what it accepts from now on it alone knows. */
    public void cutReplication(RedisServer master) {
        Replication.cut(master);
    }

    @Override
    public void close() {
        Parallel.close(servers());
    }

    private List<ClusterNode> atWork() {
        return nodes.stream().filter(node -> node.server().isServing()).toList();
    }

    private ClusterNode node(RedisServer server) {
        return nodes.stream()
                .filter(node -> node.server() == server)
                .findFirst()
                .orElseThrow();
    }

    private ClusterNode byId(String id) {
        return nodes.stream().filter(node -> node.id().equals(id)).findFirst().orElseThrow();
    }
}

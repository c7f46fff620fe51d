package dev.holdfast.lock.chaos;

import dev.holdfast.check.Address;
import dev.holdfast.check.FaultLog;
import dev.holdfast.check.Faults;
import dev.holdfast.check.Stage;
import dev.holdfast.check.Workers;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import java.util.ArrayList;
import java.util.List;

/** A cluster of three masters with one replica each. */
final class ClusterStage implements Stage {

    private final RedisCluster cluster = RedisCluster.start();

    @Override
    public Address address(int worker) {
        return new Address(
                Address.Shape.CLUSTER,
                cluster.servers().stream().map(RedisServer::port).toList());
    }

    @Override
    public List<Faults> faults(Workers workers, FaultLog log) {
        Faults ofNodes = new ClusterFaults(cluster, log);
        return Planned.PRESENT != null
                ? List.of(ofNodes)
                : List.of(
                        ofNodes, new ConnectionFaults(random -> cluster.masterOf(ClusterFaults.anyLock(random)), log));
    }

    @Override
    public void heal() {
        // Nothing to do: each fault waits until the cluster is well again.
    }

    @Override
    public List<String> leftBehind() {
        List<String> left = new ArrayList<>();
        for (RedisServer server : cluster.servers()) {
            // Replicas are skipped. A replica has the keys of its master, and redirects requests for them to the
            // master.
            if ("master".equals(server.info("replication").get("role"))) {
                left.addAll(Leftovers.of(server));
            }
        }
        return left;
    }

    @Override
    public void close() {
        cluster.close();
    }
}

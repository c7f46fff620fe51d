package dev.holdfast.lock.chaos;

import dev.holdfast.check.FaultLog;
import dev.holdfast.check.Faults;
import dev.holdfast.check.Outage;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Faults of a cluster. The master of a lock's slot crashes, changes roles with its replica, or gives the slot away while the lock is held. */
final class ClusterFaults implements Faults {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final List<String> LOCKS = List.of("{chaos}a", "chaos-fair", "chaos-rw", "chaos-0", "chaos-1");

    private final RedisCluster cluster;
    private final FaultLog log;
    private final @Nullable Planned planned = Planned.PRESENT;
    private int next;

    ClusterFaults(RedisCluster cluster, FaultLog log) {
        this.cluster = cluster;
        this.log = log;
    }

    static String anyLock(Random random) {
        return LOCKS.get(random.nextInt(LOCKS.size()));
    }

    @Override
    public int pauseMillis() {
        return planned == null ? 200 : Planned.PAUSE_MILLIS;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
        String lock = anyLock(random);
        RedisServer master = cluster.masterOf(lock);
        if (planned != null) {
            planned(planned, lock, master);
            return;
        }
        switch (next++ % 8) {
            case 0 -> kill("cut replication, then kill the master", lock, master, true);
            case 1, 2, 3, 5, 6, 7 -> {
                RedisServer target = cluster.otherMasterThanOf(lock);
                if (master.isValkey9() && random.nextBoolean()) {
                    log.at(
                            "move a slot at once",
                            Outage.ALL,
                            () -> cluster.migrationOf(lock, target).atOnce());
                } else {
                    log.at("move a slot", Outage.ALL, () -> cluster.migrate(lock, target));
                }
            }
            default -> {
                log.at("planned failover", Outage.ALL, () -> failover(lock, master));
                awaitReplica(lock);
            }
        }
    }

    private void planned(Planned how, String lock, RedisServer master) {
        log.note(how.of(master));
        if (how == Planned.COORDINATED) {
            // As at the end of a pod: the server hands its slots over when it is told to end.
            master.cli().configSet("shutdown-on-sigterm", "nosave failover");
            master.stop();
            cluster.awaitNewMasterOf(lock, master);
            master.restart();
        } else {
            failover(lock, master);
        }
        awaitReplica(lock);
    }

    private void failover(String lock, RedisServer master) {
        cluster.replicasOf(master).get(0).cli().clusterFailover(false);
        cluster.awaitNewMasterOf(lock, master);
    }

    private void kill(String fault, String lock, RedisServer master, boolean cut) throws InterruptedException {
        log.at(fault, Outage.ALL, () -> {
            if (cut) {
                cluster.cutReplication(master);
                TimeUnit.MILLISECONDS.sleep(300);
            }
            master.kill();
            cluster.awaitNewMasterOf(lock, master);
        });
        master.restart();
        awaitReplica(lock);
    }

    private void awaitReplica(String lock) {
        Await.until("the slot has a replica again", LIMIT, () -> {
            List<RedisServer> replicas = cluster.replicasOf(cluster.masterOf(lock));
            return !replicas.isEmpty()
                    && replicas.stream()
                            .allMatch(
                                    each -> "up".equals(each.info("replication").get("master_link_status")));
        });
    }
}

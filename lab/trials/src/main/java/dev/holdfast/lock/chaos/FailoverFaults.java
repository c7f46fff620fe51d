package dev.holdfast.lock.chaos;

import dev.holdfast.check.FaultLog;
import dev.holdfast.check.Faults;
import dev.holdfast.check.Outage;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisSentinels;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Faults of the master. It fails in one of several ways, which lose different amounts of confirmed data, and returns as a replica. */
final class FailoverFaults implements Faults {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final RedisSentinels group;
    private final FaultLog log;
    private final @Nullable Planned planned = Planned.PRESENT;
    private int next;

    FailoverFaults(RedisSentinels group, FaultLog log) {
        this.group = group;
        this.log = log;
    }

    @Override
    public int pauseMillis() {
        return planned == null ? 200 : Planned.PAUSE_MILLIS;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
        RedisServer master = group.master();
        if (planned != null) {
            log.note(planned.of(master));
            group.failover(planned == Planned.COORDINATED);
            awaitReplicas();
            return;
        }
        // The kinds occur in turn, because a failover takes seconds and each kind should occur.
        switch (next++ % 6) {
            case 0 ->
                failover("cut replication, then kill the master", master, () -> {
                    group.cutReplication();
                    TimeUnit.MILLISECONDS.sleep(300);
                    master.kill();
                });
            case 1 -> failover("stop the master", master, master::pause);
            case 2 -> failover("partition the master away", master, () -> partition(master, false));
            case 3 -> failover("kill the master", master, master::kill);
            case 4 -> failover("partition the master away, with min-replicas", master, () -> partition(master, true));
            default -> failover("planned failover", master, group::failover);
        }
    }

    private void failover(String fault, RedisServer master, FaultLog.Deed deed) throws InterruptedException {
        log.lasting(fault, Outage.ALL, 0, deed, () -> {
            group.awaitNewMaster(master);
            // For some time, both masters may accept commands.
            TimeUnit.MILLISECONDS.sleep(500);
        });
        bringBack(master);
    }

    /**
     * Separates the master from replicas and sentinels, but not from clients that are connected. The master refuses the replicas' user, and every new
     * connection without a password.
     */
    private void partition(RedisServer master, boolean minReplicas) {
        if (minReplicas) {
            master.cli().configSet("min-replicas-to-write", "1");
            master.cli().configSet("min-replicas-max-lag", "1");
        }
        group.cutReplication();
        master.cli().configSet("requirepass", "partitioned");
        master.cli()
                .clientList()
                .lines()
                .filter(client -> client.contains(" name=sentinel-"))
                .forEach(client -> master.cli().clientKill(KillArgs.Builder.id(ClientConnections.id(client))));
    }

    private void bringBack(RedisServer old) {
        if (!old.isAlive()) {
            old.restart();
        } else if (!old.isServing()) {
            old.resume();
        } else {
            old.cli().configSet("requirepass", "");
            old.cli().configSet("min-replicas-to-write", "0");
            old.cli()
                    .dispatch(
                            io.lettuce.core.protocol.CommandType.ACL,
                            new io.lettuce.core.output.StatusOutput<>(io.lettuce.core.codec.StringCodec.UTF8),
                            new io.lettuce.core.protocol.CommandArgs<>(io.lettuce.core.codec.StringCodec.UTF8)
                                    .add("SETUSER")
                                    .add("replication")
                                    .add("on"));
        }
        awaitReplicas();
    }

    private void awaitReplicas() {
        Await.until(
                "the old master is a replica",
                LIMIT,
                () -> group.replicas().stream()
                        .allMatch(replica ->
                                "up".equals(replica.info("replication").get("master_link_status"))));
    }
}

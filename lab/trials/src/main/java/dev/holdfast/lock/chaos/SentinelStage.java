package dev.holdfast.lock.chaos;

import dev.holdfast.check.Address;
import dev.holdfast.check.FaultLog;
import dev.holdfast.check.Faults;
import dev.holdfast.check.Stage;
import dev.holdfast.check.Workers;
import dev.holdfast.lock.testing.RedisSentinels;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;

/** A master, two replicas and three sentinels. */
final class SentinelStage implements Stage {

    private final RedisSentinels group = RedisSentinels.start();

    @Override
    public Address address(int worker) {
        return new Address(
                Address.Shape.SENTINELS,
                group.sentinels().stream().map(RedisServer::port).toList());
    }

    @Override
    public List<Faults> faults(Workers workers, FaultLog log) {
        Faults failovers = new FailoverFaults(group, log);
        return Planned.PRESENT != null
                ? List.of(failovers)
                : List.of(failovers, new ConnectionFaults(random -> group.master(), log));
    }

    @Override
    public void heal() {
        // Nothing to do: each failover waits until all servers are well again.
    }

    @Override
    public List<String> leftBehind() {
        return Leftovers.of(group.master());
    }

    @Override
    public void close() {
        group.close();
    }
}

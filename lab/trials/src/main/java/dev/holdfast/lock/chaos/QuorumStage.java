package dev.holdfast.lock.chaos;

import dev.holdfast.check.Address;
import dev.holdfast.check.FaultLog;
import dev.holdfast.check.Faults;
import dev.holdfast.check.NetworkFaults;
import dev.holdfast.check.ProcessFaults;
import dev.holdfast.check.Stage;
import dev.holdfast.check.Workers;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Three independent servers. Each worker has its own network to each server. For each worker, the network to only one server fails, so that it can
 * reach a majority.
 */
final class QuorumStage implements Stage {

    private static final int SERVERS = 3;

    private final List<RedisServer> servers =
            Stream.generate(() -> RedisServer.start()).limit(SERVERS).toList();
    private final List<List<FaultProxy>> networks = IntStream.range(0, Workers.COUNT)
            .mapToObj(i ->
                    servers.stream().map(server -> FaultProxy.to(server.port())).toList())
            .toList();

    @Override
    public Address address(int worker) {
        return new Address(
                Address.Shape.QUORUM,
                networks.get(worker).stream().map(FaultProxy::port).toList());
    }

    @Override
    public List<Faults> faults(Workers workers, FaultLog log) {
        // Disturbs the network between each worker and another server, and stops workers.
        List<Faults> faults = new ArrayList<>();
        for (int i = 0; i < Workers.COUNT; i++) {
            faults.add(new NetworkFaults(
                    networks.get(i).get(i), ServerStage.ofServer(servers.get(i)), ServerStage.LONG_ONE_IN, i, log));
            faults.add(new ProcessFaults(workers, i, log));
        }
        return faults;
    }

    @Override
    public void heal() {
        networks.forEach(each -> each.forEach(FaultProxy::heal));
    }

    @Override
    public List<String> leftBehind() {
        List<String> left = new ArrayList<>();
        servers.forEach(server -> left.addAll(Leftovers.of(server)));
        return left;
    }

    @Override
    public void close() {
        networks.forEach(each -> each.forEach(FaultProxy::close));
        servers.forEach(RedisServer::close);
    }
}

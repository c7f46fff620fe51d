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
import dev.holdfast.lock.testing.RedisServer.ClientType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** One server, and a separate network to it for each worker. */
final class ServerStage implements Stage {

    /** One lasting fault in so many is longer than a lease. */
    static final int LONG_ONE_IN = 8;

    private final FaultClass faultClass;
    private final RedisServer server = RedisServer.start();
    private final List<FaultProxy> networks = IntStream.range(0, Workers.COUNT)
            .mapToObj(i -> FaultProxy.to(server.port()))
            .toList();

    ServerStage(FaultClass faultClass) {
        this.faultClass = faultClass;
    }

    @Override
    public Address address(int worker) {
        // A proxy copies every byte twice, so it is used only if its faults are needed.
        int port = faultClass == FaultClass.NETWORK ? networks.get(worker).port() : server.port();
        return new Address(Address.Shape.SERVER, List.of(port));
    }

    @Override
    public List<Faults> faults(Workers workers, FaultLog log) {
        List<Faults> faults = new ArrayList<>();
        switch (faultClass) {
            case NETWORK -> {
                for (int i = 0; i < Workers.COUNT; i++) {
                    faults.add(new NetworkFaults(networks.get(i), ofServer(server), LONG_ONE_IN, i, log));
                }
            }
            case PROCESS -> {
                for (int i = 0; i < Workers.COUNT; i++) {
                    faults.add(new ProcessFaults(workers, i, log));
                }
                faults.add(new ServerFaults(server, log));
            }
            case DATA -> faults.add(new DataFaults(server, workers, log));
            default -> {
                // This class has no faults.
            }
        }
        return faults;
    }

    /** Returns what a server of the test may be asked to do to all of its clients. */
    static List<NetworkFaults.ServerFault> ofServer(RedisServer server) {
        return List.of(
                new NetworkFaults.ServerFault("kill subscriptions", () -> server.clientKill(ClientType.PUBSUB)),
                new NetworkFaults.ServerFault("kill command connections", () -> server.clientKill(ClientType.NORMAL)),
                new NetworkFaults.ServerFault("forget scripts", server::scriptFlush));
    }

    @Override
    public void heal() {
        networks.forEach(FaultProxy::heal);
    }

    @Override
    public List<String> leftBehind() {
        return Leftovers.of(server);
    }

    @Override
    public void close() {
        networks.forEach(FaultProxy::close);
        server.close();
    }
}

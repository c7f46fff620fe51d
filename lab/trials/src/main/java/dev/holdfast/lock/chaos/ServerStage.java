package dev.holdfast.lock.chaos;

import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** One server, and a separate network to it for each worker. */
final class ServerStage implements Stage {

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
                    faults.add(new NetworkFaults(networks.get(i), server, i, log));
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

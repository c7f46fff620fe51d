package dev.holdfast.check;

import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.proxy.FaultProxy.Direction;
import dev.holdfast.lock.proxy.FaultProxy.Then;
import dev.holdfast.lock.proxy.RespFrame;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Faults of the network between one worker and a server, of every kind, and those of a server that cuts its clients, if the server may do it. */
public final class NetworkFaults implements Faults {

    private static final int LEASE = (int) Terms.LEASE.toMillis();

    private final FaultProxy network;
    private final List<ServerFault> ofServer;
    private final int longOneIn;
    private final int worker;
    private final FaultLog log;

    /** A fault that the server causes, for all of its clients. */
    public record ServerFault(String name, FaultLog.Deed deed) {}

    /**
     * Creates a source of faults.
     *
     * @param ofServer what the server may be asked to do; empty if it has other users
     * @param longOneIn one lasting fault in so many is longer than a lease
     */
    public NetworkFaults(FaultProxy network, List<ServerFault> ofServer, int longOneIn, int worker, FaultLog log) {
        this.network = network;
        this.ofServer = ofServer;
        this.longOneIn = longOneIn;
        this.worker = worker;
        this.log = log;
    }

    @Override
    public int pauseMillis() {
        return 150;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
        int draw = random.nextInt(11 + ofServer.size());
        switch (draw) {
            case 0 -> log.at("close", worker, network::closeConnections);
            case 1 -> log.at("reset", worker, network::resetConnections);
            case 2 -> lasting("black hole", random, network::blackHole);
            case 3 -> lasting("half-open to server", random, () -> network.blackHole(Direction.TO_SERVER));
            case 4 -> lasting("half-open to client", random, () -> network.blackHole(Direction.TO_CLIENT));
            case 5 -> lasting("hold back", random, network::holdBack);
            case 6 -> lasting("delay", random, () -> network.delay(Duration.ofMillis(5 + random.nextInt(120))));
            case 7 -> swallow("swallow and close", Then.CLOSE);
            case 8 -> swallow("swallow and reset", Then.RESET);
            case 9 -> lasting("lose messages", random, () -> network.dropPushes(push -> push.isNamed("message")));
            case 10 ->
                lasting("refuse connections", random, () -> {
                    network.refuseConnections();
                    network.resetConnections();
                });
            default -> {
                ServerFault fault = ofServer.get(draw - 11);
                log.at(fault.name(), Outage.ALL, fault.deed());
            }
        }
    }

    private void lasting(String fault, Random random, FaultLog.Deed begin) throws InterruptedException {
        int millis = random.nextInt(longOneIn) == 0
                ? LEASE + random.nextInt(LEASE * 3 / 2)
                : LEASE / 20 + random.nextInt(LEASE / 3);
        log.lasting(fault, worker, millis, begin, network::heal);
    }

    private void swallow(String fault, Then then) throws InterruptedException {
        log.lasting(fault, worker, 50, () -> network.swallowReplyOf(NetworkFaults::isScript, then), network::heal);
    }

    /** Returns whether the request is one that libraries acquire or release locks with. */
    private static boolean isScript(RespFrame request) {
        return request.isNamed("evalsha") || request.isNamed("eval") || request.isNamed("set");
    }
}

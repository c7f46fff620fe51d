package dev.holdfast.lock.chaos;

import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Direction;
import dev.holdfast.lock.testing.FaultProxy.Then;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.RedisServer.ClientType;
import dev.holdfast.lock.testing.RespFrame;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Faults of the network between one worker and a server, of every kind. */
final class NetworkFaults implements Faults {

    private static final int LEASE = (int) Terms.LEASE.toMillis();

    private final FaultProxy network;
    private final RedisServer server;
    private final int worker;
    private final FaultLog log;

    NetworkFaults(FaultProxy network, RedisServer server, int worker, FaultLog log) {
        this.network = network;
        this.server = server;
        this.worker = worker;
        this.log = log;
    }

    @Override
    public int pauseMillis() {
        return 150;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
        List<Kind> kinds = kinds();
        kinds.get(random.nextInt(kinds.size())).strike(random);
    }

    private interface Kind {
        void strike(Random random) throws InterruptedException;
    }

    private List<Kind> kinds() {
        return List.of(
                random -> log.at("close", worker, network::closeConnections),
                random -> log.at("reset", worker, network::resetConnections),
                random -> lasting("black hole", random, network::blackHole),
                random -> lasting("half-open to server", random, () -> network.blackHole(Direction.TO_SERVER)),
                random -> lasting("half-open to client", random, () -> network.blackHole(Direction.TO_CLIENT)),
                random -> lasting("hold back", random, network::holdBack),
                random -> lasting("delay", random, () -> network.delay(Duration.ofMillis(5 + random.nextInt(120)))),
                random -> swallow("swallow and close", Then.CLOSE),
                random -> swallow("swallow and reset", Then.RESET),
                random -> lasting("lose messages", random, () -> network.dropPushes(push -> push.isNamed("message"))),
                random -> lasting("refuse connections", random, () -> {
                    network.refuseConnections();
                    network.resetConnections();
                }),
                random -> log.at("kill subscriptions", Outage.ALL, () -> server.clientKill(ClientType.PUBSUB)),
                random -> log.at("kill command connections", Outage.ALL, () -> server.clientKill(ClientType.NORMAL)),
                random -> log.at("forget scripts", Outage.ALL, server::scriptFlush));
    }

    private void lasting(String fault, Random random, FaultLog.Deed begin) throws InterruptedException {
        // One fault in eight is longer than a lease.
        int millis =
                random.nextInt(8) == 0 ? LEASE + random.nextInt(LEASE * 3 / 2) : LEASE / 20 + random.nextInt(LEASE / 3);
        log.lasting(fault, worker, millis, begin, network::heal);
    }

    private void swallow(String fault, Then then) throws InterruptedException {
        log.lasting(fault, worker, 50, () -> network.swallowReplyOf(NetworkFaults::isScript, then), network::heal);
    }

    /** Returns whether the request runs a script, or is the command that the naive lock sends. */
    private static boolean isScript(RespFrame request) {
        return request.isNamed("evalsha") || request.isNamed("set");
    }
}

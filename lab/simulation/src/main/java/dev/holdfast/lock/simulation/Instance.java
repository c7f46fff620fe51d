package dev.holdfast.lock.simulation;

import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.composite.QuorumLock;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An instance of an application: a process with one lock client for each server. It may crash, close and start again. */
final class Instance {

    final int number;
    private final Plan.Client settings;
    private final World world;
    private final List<SimulatedServer> servers;
    private final ConnectionSettings connection;
    private final Duration grace;
    private final long commandTimeoutNanos;
    private final Checks checks;

    SimulatedProcess process;
    List<Network> networks = List.of();
    List<RedisLockClient> clients = List.of();
    List<WireGateway> gateways = List.of();
    private Map<LockSpec, LeaseSource> locks = new HashMap<>();
    /** The faults that occur shortly after a caller's next call. */
    final List<Runnable> onNextCall = new ArrayList<>();

    private int starts;
    boolean isUp;
    boolean isClosing;
    /** The last time of a fault in the instance, or on its way to a server. While a fault lasts, this is the time of its end. */
    long troubledAt = Long.MIN_VALUE / 2;

    /** The period in which something was wrong with the instance, its connections or a server, as {@link Trouble#look} saw it. */
    long unwellSince = Long.MIN_VALUE / 2;

    long unwellUntil = Long.MIN_VALUE / 2;

    Instance(
            int number,
            Plan.Client settings,
            World world,
            List<SimulatedServer> servers,
            Checks checks,
            int graceMillis) {
        this.grace = Duration.ofMillis(graceMillis);
        this.number = number;
        this.settings = settings;
        this.connection = ConnectionSettings.forLease(Duration.ofMillis(settings.watchdogMillis()));
        this.commandTimeoutNanos = connection.commandTimeout().toNanos();
        this.world = world;
        this.servers = servers;
        this.checks = checks;
        this.process = new SimulatedProcess(world, "c" + number, settings.driftPpm());
        start();
    }

    String name() {
        return process.name;
    }

    /** Returns by how much a call that begins now may exceed its wait, for each request: calls wait for the first attempt to connect. */
    long longestAnswerNanos() {
        return gateways.stream().allMatch(gateway -> gateway.attempted().isDone())
                ? commandTimeoutNanos
                : connection.firstConnectTimeout().toNanos();
    }

    /** Opens gateways to one server. Their background is the process. */
    private final class Opener implements RedisGateway.Opener {
        private final Network network;

        Opener(Network network) {
            this.network = network;
        }

        @Override
        public RedisGateway open(ConnectionSettings connection, Timer timer, Ticker ticker) {
            WireGateway gateway = new WireGateway(Instance.this, network, checks, connection, timer, ticker);
            gateways.add(gateway);
            return gateway;
        }

        @Override
        public Background background() {
            return network.process;
        }
    }

    void start() {
        starts++;
        process = new SimulatedProcess(world, "c" + number + (starts > 1 ? "." + starts : ""), settings.driftPpm());
        networks = servers.stream().map(server -> new Network(process, server)).toList();
        gateways = new ArrayList<>();
        locks = new HashMap<>();
        List<RedisLockClient> opened = new ArrayList<>();
        for (Network network : networks) {
            opened.add((RedisLockClient) RedisLockClient.builder(RedisSource.simulated(new Opener(network)))
                    .clientName(process.name)
                    .watchdogTimeout(Duration.ofMillis(settings.watchdogMillis()))
                    .pollInterval(Duration.ofMillis(settings.pollMillis()))
                    .handOver(settings.handOvers(), Duration.ofMillis(20))
                    .minReplicas(settings.minReplicas())
                    .failoverGrace(grace)
                    .checkAtStart(false)
                    .callbackExecutor(process::execute)
                    .build());
        }
        clients = opened;
        isUp = true;
        isClosing = false;
    }

    /** Called when a caller is about to acquire or release a lock. */
    void called() {
        List<Runnable> waiting = List.copyOf(onNextCall);
        onNextCall.clear();
        waiting.forEach(Runnable::run);
    }

    void die() {
        isUp = false;
        process.dead = true;
        gateways.forEach(gateway -> {
            gateway.commands().close();
            gateway.messages().close();
        });
    }

    /** Returns whether the instance has ended since the run began, even if it has started again. */
    boolean hasEnded() {
        return starts > 1 || !isUp;
    }

    long commandTimeoutNanos() {
        return commandTimeoutNanos;
    }

    /** Returns whether the client's user is permitted to subscribe to channels. */
    boolean subscribes() {
        return settings.subscribes();
    }

    int minReplicas() {
        return settings.minReplicas();
    }

    long watchdogNanos() {
        return Duration.ofMillis(settings.watchdogMillis()).toNanos();
    }

    @Nullable
    Network network(int server) {
        return isUp ? networks.get(Math.min(server, networks.size() - 1)) : null;
    }

    LeaseSource lock(LockSpec spec) {
        return locks.computeIfAbsent(spec, this::newLock);
    }

    private LeaseSource newLock(LockSpec spec) {
        RedisLockClient client = clients.get(0);
        String name = spec.names().get(0);
        return switch (spec.kind()) {
            case PLAIN -> client.getLock(name);
            case FAIR -> client.getFairLock(name);
            case READ -> client.getReadWriteLock(name).readLock();
            case WRITE -> client.getReadWriteLock(name).writeLock();
            case SEMAPHORE -> client.getSemaphore(name, spec.permits());
            case FAIR_SEMAPHORE -> client.getFairSemaphore(name, spec.permits());
            case NAMES -> client.getMultiLock(spec.names());
            case MULTI ->
                MultiLock.of(spec.names().stream().map(client::getLock).toList());
            case QUORUM -> QuorumLock.of(name, List.copyOf(clients));
        };
    }
}

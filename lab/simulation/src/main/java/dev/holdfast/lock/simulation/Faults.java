package dev.holdfast.lock.simulation;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.simulation.Plan.Fault;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Causes the faults of a plan. */
final class Faults {

    private static final Set<Plan.FaultKind> UNTROUBLING =
            EnumSet.of(Plan.FaultKind.CLOSE, Plan.FaultKind.FORCE, Plan.FaultKind.STOP);

    private final World world;
    private final List<SimulatedServer> servers;
    private final List<Instance> instances;
    private final Checks checks;
    private final ServerChecks serverChecks;
    private final Consumer<Instance> onRestart;

    Faults(
            World world,
            List<SimulatedServer> servers,
            List<Instance> instances,
            Checks checks,
            ServerChecks serverChecks,
            Consumer<Instance> onRestart) {
        this.world = world;
        this.servers = servers;
        this.instances = instances;
        this.checks = checks;
        this.serverChecks = serverChecks;
        this.onRestart = onRestart;
    }

    void plan(List<Fault> faults) {
        faults.forEach(
                fault -> world.plan(world.self, TimeUnit.MILLISECONDS.toNanos(fault.atMillis()), () -> begin(fault)));
    }

    private void begin(Fault fault) {
        if (fault.afterCallMicros() < 0) {
            strike(fault);
        } else {
            long delay = TimeUnit.MICROSECONDS.toNanos(fault.afterCallMicros());
            instances.get(fault.target()).onNextCall.add(() -> world.plan(world.self, delay, () -> strike(fault)));
        }
    }

    private void later(long millis, Runnable task) {
        world.plan(world.self, TimeUnit.MILLISECONDS.toNanos(millis), task);
    }

    private void strike(Fault fault) {
        Instance instance = instances.get(fault.target());
        SimulatedServer server = servers.get(fault.server());
        Network network = instance.network(fault.server());
        if (network == null || checks.isOver()) {
            return;
        }
        checks.counts.faults++;
        checks.counts.faultsOfKind.merge(fault.kind(), 1L, Long::sum);
        world.history.add(world.now(), "fault", fault.kind() + " for " + fault.forMillis() + " ms", instance.name(), 0);
        if (!UNTROUBLING.contains(fault.kind())) {
            checks.trouble.struck(instance);
            instance.troubledAt = world.now() + TimeUnit.MILLISECONDS.toNanos(fault.forMillis());
        }
        switch (fault.kind()) {
            case CUT_COMMANDS -> links(instance, network, true, false, WireLine::cut);
            case CUT_MESSAGES -> links(instance, network, false, true, WireLine::cut);
            case HALF_OPEN -> links(instance, network, true, fault.number() % 2 == 0, WireLine::becomeHalfOpen);
            case DEAF -> links(instance, network, false, true, WireLine::becomeHalfOpen);
            case SPLIT -> {
                network.split = true;
                later(fault.forMillis(), () -> network.split = false);
            }
            case SLOW -> {
                network.extraDelay = TimeUnit.MICROSECONDS.toNanos(fault.number() % 300_000);
                later(fault.forMillis(), () -> network.extraDelay = 0);
            }
            case PAUSE -> pause(instance.process, fault.forMillis());
            case STALL ->
                links(
                        instance,
                        network,
                        fault.number() % 3 == 0,
                        fault.number() % 3 != 0,
                        line -> line.stallUntil(world.now() + TimeUnit.MILLISECONDS.toNanos(fault.forMillis())));
            case DIE -> {
                instance.die();
                later(fault.forMillis(), () -> restart(instance));
            }
            case CLOSE -> close(instance, fault);
            case CUT_AT_COMMAND, NO_CONNECTION ->
                instance.gateways.stream()
                        .filter(gateway -> gateway.network() == network)
                        .forEach(gateway -> gateway.strike(fault));
            case FORCE -> operate(instance, fault, RedisLockClient::forceRelease);
            case STOP -> operate(instance, fault, RedisLockClient::requestStop);
            default -> strike(fault, server);
        }
    }

    private void strike(Fault fault, SimulatedServer server) {
        checks.trouble.ofServerUntil(world.now() + TimeUnit.MILLISECONDS.toNanos(fault.forMillis()));
        switch (fault.kind()) {
            case SERVER_PAUSE -> pause(server, Math.min(fault.forMillis(), 2_500));
            case SERVER_RESTART -> away(server, fault.forMillis(), server::beginReign);
            case FORGET_SCRIPTS -> server.forgetScripts();
            case REFUSE -> {
                SimulatedServer.Refusal[] refusals = SimulatedServer.Refusal.values();
                server.refusal = refusals[1 + fault.number() % (refusals.length - 1)];
                later(fault.forMillis(), () -> server.refusal = SimulatedServer.Refusal.NONE);
            }
            case LOSE -> {
                if (fault.number() % 2 == 0) {
                    server.lose();
                } else {
                    away(server, fault.forMillis(), server::restartEmpty);
                }
            }
            case GO_BACK -> away(server, fault.forMillis(), () -> server.failOver(1 + fault.number() % 3));
            case SERVES_ON -> servesOn(server, fault);
            case EVICT -> {
                List<String> keys = server.keys();
                if (!keys.isEmpty()) {
                    server.evict(keys.get(fault.number() % keys.size()));
                }
            }
            case JUMP_FORWARD -> server.jump(fault.number() % 60_000);
            case JUMP_BACK -> server.jump(-(fault.number() % 60_000));
            default -> throw new IllegalStateException(fault.kind().name());
        }
    }

    private static void links(
            Instance instance, Network network, boolean commands, boolean messages, Consumer<WireLine> change) {
        for (WireGateway gateway : instance.gateways) {
            if (gateway.network() == network) {
                if (commands) {
                    change.accept(gateway.commands());
                }
                if (messages) {
                    change.accept(gateway.messages());
                }
            }
        }
    }

    private void pause(Actor actor, long millis) {
        actor.pause(world.now());
        later(millis, () -> {
            world.resume(actor);
            if (actor instanceof SimulatedServer) {
                checks.trouble.ofServerUntil(world.now());
            }
        });
    }

    /** Restarts a server. Connections end, and the server's data may be older afterwards. */
    private void away(SimulatedServer server, long millis, Runnable change) {
        server.away = true;
        server.forgetEverybody();
        cutAll(server);
        later(millis, () -> {
            change.run();
            server.away = false;
        });
    }

    /**
     * Lets a replica take over at once. Some connections go on with the master before for as long as it may lack its replicas. Then it refuses writes,
     * and at last they end.
     */
    private void servesOn(SimulatedServer server, Fault fault) {
        if (server.isPaused()) {
            // The former master would read what waits here behind what is sent to it later.
            later(1, () -> servesOn(server, fault));
            return;
        }
        SimulatedServer former = server.formerMaster();
        checks.trouble.servesOn(former);
        for (Instance instance : instances) {
            boolean stays = (fault.number() >> (8 + instance.number)) % 2 == 0;
            for (WireGateway gateway : instance.gateways) {
                if (instance.isUp && gateway.network().server == server) {
                    stay(gateway.commands(), stays, former);
                    stay(gateway.messages(), stays, former);
                }
            }
        }
        server.failOver(1 + fault.number() % 2);
        int endMillis = fault.forMillis() + fault.number() % 1_000;
        // Until then, a client can be with the master before, which has what the present one has lost.
        checks.trouble.ofServerUntil(world.now() + TimeUnit.MILLISECONDS.toNanos(endMillis));
        later(fault.forMillis(), () -> former.refusal = SimulatedServer.Refusal.NOREPLICAS);
        later(endMillis, () -> {
            former.away = true;
            for (Instance instance : instances) {
                for (WireGateway gateway : instance.gateways) {
                    if (gateway.commands().isWith(former)) {
                        gateway.commands().cut();
                    }
                    if (gateway.messages().isWith(former)) {
                        gateway.messages().cut();
                    }
                }
            }
        });
    }

    private static void stay(WireLine line, boolean stays, SimulatedServer former) {
        if (stays) {
            line.stayWith(former);
        } else {
            line.cut();
        }
    }

    private void cutAll(SimulatedServer server) {
        for (Instance instance : instances) {
            for (WireGateway gateway : instance.gateways) {
                if (instance.isUp && gateway.network().server == server) {
                    gateway.commands().cut();
                    gateway.messages().cut();
                }
            }
        }
    }

    private void restart(Instance instance) {
        if (!instance.isUp && !checks.isOver()) {
            instance.start();
            instance.troubledAt = world.now();
            onRestart.accept(instance);
        }
    }

    /** Releases a lock by force or asks its holder to stop, as somebody does who has looked at it. */
    private void operate(Instance instance, Fault fault, BiConsumer<RedisLockClient, String> operation) {
        List<String> locks = servers.get(fault.server()).keys().stream()
                .filter(key -> key.length() == 1)
                .toList();
        if (locks.isEmpty() || instance.isClosing) {
            return;
        }
        RedisLockClient client = instance.clients.get(fault.server());
        world.fibers.start(instance.process, () -> {
            try {
                operation.accept(client, locks.get(fault.number() % locks.size()));
            } catch (LockException failed) {
                // Nobody answered. It may have been done or not.
            }
        });
    }

    private void close(Instance instance, Fault fault) {
        if (instance.isClosing) {
            return;
        }
        instance.isClosing = true;
        close(instance, fault.number() % 300, () -> later(fault.forMillis(), () -> restart(instance)));
    }

    /** Closes all clients of an instance, and then checks that nothing of theirs is left. */
    void close(Instance instance, long graceMillis, Runnable then) {
        instance.isClosing = true;
        SimulatedProcess process = instance.process;
        long begun = world.now();
        int[] open = {instance.clients.size()};
        instance.clients.forEach(client -> world.fibers.start(process, () -> {
            client.close(Duration.ofMillis(graceMillis));
            if (--open[0] == 0) {
                world.history.add(world.now(), process.name, "has closed", "", 0);
                serverChecks.closed(instance, begun);
                instance.isUp = false;
                then.run();
            }
        }));
    }
}
